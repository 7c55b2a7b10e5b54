// LuaPatterns: Lua's string.find, match, gmatch and gsub, with their work counted. Those of Lua's
// own library count as one instruction each, however long they take: on a user's batch script of
// 4 MiB a pattern such as "%s*conda" may take hours.
#pragma once

#include "berth/server/submit/lua_charge.h"

namespace berth {

// Puts them into the global table `string`. `charge` must live as long as the state.
void open_counted_patterns(lua_State* lua, const LuaCharge& charge);

}  // namespace berth
