// LuaPrelude: what is made of Lua's own library in Lua before a site's script runs: Slurm's log
// functions, names of Lua 5.1 that old scripts use, and refusals of what a script may not do.
#pragma once

namespace berth {

// Called with the globals to guard: `refuse(name)` raises the error for a name that is not offered.
inline constexpr const char* kLuaPrelude = R"lua(
local refuse = ...
local format, concat, find = string.format, table.concat, string.find
local select, tostring, type = select, tostring, type
local log, tell = slurm.log, slurm.user_msg

for name, level in pairs({log_error = -1, log_info = 0, log_verbose = 1, log_debug = 2,
                          log_debug2 = 3, log_debug3 = 4, log_debug4 = 5}) do
    slurm[name] = function(...) log(level, format(...)) end
end
slurm.error = function(text) log(-1, text) end
slurm.log_user = function(...) tell(format(...)) end
print = function(...)
    local words = {}
    for i = 1, select("#", ...) do words[i] = tostring((select(i, ...))) end
    log(0, concat(words, "\t"))
end

unpack = table.unpack
table.getn = function(list) return #list end
math.pow = function(base, power) return base ^ power end

-- A finalizer would run uncounted.
local set, get = setmetatable, rawget
setmetatable = function(it, meta)
    if type(meta) == "table" and get(meta, "__gc") ~= nil then refuse("__gc of a metatable") end
    return set(it, meta)
end

for _, name in ipairs({"require", "dofile", "loadfile", "load", "loadstring", "collectgarbage"}) do
    _G[name] = function() refuse(name) end
end
local function guarded(library, it)
    local function missing(_, name) refuse(library .. "." .. tostring(name)) end
    return set(it, {__index = missing, __newindex = missing, __metatable = false})
end
for _, library in ipairs({"io", "package", "debug", "coroutine"}) do
    _G[library] = guarded(library, {})
end
os = guarded("os", {time = os.time, date = os.date, clock = os.clock, difftime = os.difftime,
                    getenv = function() return nil end})
set(slurm, {__index = function(_, name)
    if name == "jobs" or name == "reservations" or find(name, "^ES") then
        refuse("slurm." .. name)  -- An error code that read as nil would let the job pass.
    end
end})
)lua";

}  // namespace berth
