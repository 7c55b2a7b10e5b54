// LuaPatterns: Lua's string.find, match, gmatch and gsub, with their work counted. Those of Lua's
// own library count as one instruction each, however long they take: on a user's batch script of
// 4 MiB a pattern such as "%s*conda" may take hours.
#pragma once

#include <cstdint>

struct lua_State;

namespace berth {

// Told of steps that were taken; raises an error once there have been too many.
struct PatternCharge {
    void (*charge)(lua_State* lua, std::int64_t steps);
};

// Puts them into the global table `string`. `charge` must live as long as the state.
void open_counted_patterns(lua_State* lua, const PatternCharge& charge);

}  // namespace berth
