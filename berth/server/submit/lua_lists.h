// LuaLists: Lua's functions of lists, with their work counted: table.insert, remove, concat, sort,
// unpack and move, and string.rep, which goes on for as long as it is told if there is nothing to
// repeat.
#pragma once

#include "berth/server/submit/lua_charge.h"

namespace berth {

// Puts them into the global tables `table` and `string`. `charge` must live as long as the state.
void open_counted_lists(lua_State* lua, const LuaCharge& charge);

}  // namespace berth
