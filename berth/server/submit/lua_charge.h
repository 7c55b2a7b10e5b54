// LuaCharge: how functions written in C say what they cost. Lua's machine counts a call of one as
// one instruction, however long it takes.
#pragma once

#include <cstdint>

struct lua_State;

namespace berth {

// Told of steps that are taken; raises an error once there have been too many.
struct LuaCharge {
    void (*charge)(lua_State* lua, std::int64_t steps);
};

}  // namespace berth
