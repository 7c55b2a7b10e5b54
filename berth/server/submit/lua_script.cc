// Lua leaves a C function by longjmp where it raises an error. So no object with a destructor lives
// in a frame that Lua may leave: what passes between C++ and Lua lies in the LuaState.
#include "berth/server/submit/lua_script.h"

#include <array>
#include <cstdlib>
#include <lua5.4/lua.hpp>
#include <utility>

#include "berth/base/duration_text.h"
#include "berth/model/invalid_argument.h"
#include "berth/server/submit/lua_lists.h"
#include "berth/server/submit/lua_patterns.h"
#include "berth/server/submit/lua_prelude.h"
#include "berth/server/submit/slurm_numbers.h"

namespace berth {

struct LuaState {
    LuaState(ScriptOutside& where, LuaLimits most) : outside(where), limits(most) {}
    LuaState(const LuaState&) = delete;
    LuaState& operator=(const LuaState&) = delete;
    ~LuaState() {
        if (lua != nullptr) lua_close(lua);
    }

    static LuaState& of(lua_State* lua) {
        return **static_cast<LuaState**>(lua_getextraspace(lua));
    }

    // Takes over the value at `index`; false: a field cannot have such a value.
    bool take(int index);
    void push(const ScriptValue& what);
    void push_table(ScriptTable* table);
    void push_number(std::size_t number) { lua_pushinteger(lua, static_cast<lua_Integer>(number)); }
    // `what` in protected mode, with all the memory and instructions that there are; then `value`
    // is its result.
    Status run(lua_CFunction what);
    Error error_in(int failure);

    ScriptOutside& outside;
    const LuaLimits limits;
    std::string name, chunk;  // "job_submit.lua", and what Lua calls it.
    lua_State* lua = nullptr;
    std::size_t used = 0;
    std::int64_t instructions_left = 0;
    int counted_by = 0;
    bool spoilt = false;

    const LuaScript::Source* source = nullptr;  // While it is loaded.
    const char* function = nullptr;             // While it is called.
    std::span<const ScriptValue> arguments;
    std::vector<ScriptTable*> tables;  // That the script can use in this call …
    lua_Integer call = 0;              // … and which call it is.
    ScriptValue value;
    std::string error;
};

namespace {

constexpr int kInstructionsPerCount = 1000;
constexpr std::size_t kErrorBytesMost = 1000;
constexpr std::size_t kBytesPerInstruction = 64;

void* allocate(void* state, void* block, std::size_t before, std::size_t wanted) {
    LuaState& s = *static_cast<LuaState*>(state);
    if (block == nullptr) before = 0;  // It is a type then, not a size.
    if (wanted == 0) {
        s.used -= before;
        std::free(block);  // NOLINT(cppcoreguidelines-no-malloc)
        return nullptr;
    }
    if (wanted > before && s.limits.memory - s.used < wanted - before) return nullptr;
    void* const got = std::realloc(block, wanted);  // NOLINT(cppcoreguidelines-no-malloc)
    if (got == nullptr) return nullptr;
    s.used += wanted - before;
    // What is allocated will be written: `s = s .. line` copies all of `s`. No error may be raised
    // here; the next count raises it.
    if (wanted > before)
        s.instructions_left -= static_cast<std::int64_t>((wanted - before) / kBytesPerInstruction);
    return got;
}

void count(lua_State* lua, lua_Debug*);

// A script may catch the error with pcall(): then the next instruction raises it again.
void spend(lua_State* lua, std::int64_t instructions, int level) {
    LuaState& s = LuaState::of(lua);
    s.instructions_left -= instructions;
    if (s.instructions_left > 0) return;
    s.counted_by = 1;
    s.spoilt = true;
    lua_sethook(lua, count, LUA_MASKCOUNT, 1);
    luaL_where(lua, level);
    lua_pushfstring(lua, "stopped after %I instructions: is there an endless loop?",
                    lua_Integer{s.limits.instructions});
    lua_concat(lua, 2);
    lua_error(lua);
}

void count(lua_State* lua, lua_Debug*) { spend(lua, LuaState::of(lua).counted_by, 0); }

constexpr LuaCharge kCharge{[](lua_State* lua, std::int64_t steps) { spend(lua, steps, 1); }};

// Error objects may be anything.
int describe(lua_State* lua) {
    if (lua_type(lua, 1) == LUA_TSTRING) return 1;
    if (lua_isnumber(lua, 1) != 0) {
        lua_tolstring(lua, 1, nullptr);
        return 1;
    }
    lua_pushfstring(lua, "error() was called with a %s instead of a text", luaL_typename(lua, 1));
    return 1;
}

int refuse(lua_State* lua) {
    luaL_where(lua, 2);
    lua_pushfstring(lua,
                    "%s is not available: a script decides by job_desc, part_list and its own "
                    "tables alone",
                    luaL_checkstring(lua, 1));
    lua_concat(lua, 2);
    return lua_error(lua);
}

// The table that a function of a table's metatable was made for.
ScriptTable& table_of(lua_State* lua) {
    const LuaState& s = LuaState::of(lua);
    if (lua_tointeger(lua, lua_upvalueindex(2)) != s.call)
        luaL_error(lua, "a job or partition is only known in the call that it was handed to");
    return *s.tables[static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(1)))];
}

// A field's name; a number has its text's.
std::string_view field_of(lua_State* lua) {
    std::size_t length = 0;
    const char* const name = luaL_checklstring(lua, 2, &length);
    return {name, length};
}

int read_field(lua_State* lua) {
    ScriptTable& table = table_of(lua);
    const std::string_view field = field_of(lua);
    LuaState& s = LuaState::of(lua);
    s.value = table.read(field);
    s.push(s.value);
    return 1;
}

bool write(LuaState& s, ScriptTable& table, std::string_view field) {
    const Status done = table.write(field, s.value);
    if (!done.ok()) s.error = done.error().message.substr(0, kErrorBytesMost);
    return done.ok();
}

int write_field(lua_State* lua) {
    ScriptTable& table = table_of(lua);
    const std::string_view field = field_of(lua);
    LuaState& s = LuaState::of(lua);
    if (!s.take(3)) {
        return luaL_error(lua, "%s should be a string or a number, not a %s", field.data(),
                          luaL_typename(lua, 3));
    }
    if (!write(s, table, field)) return luaL_error(lua, "%s", s.error.c_str());
    return 0;
}

LogLevel level_of(lua_Integer level) {
    if (level < 0) return LogLevel::error;
    return level == 0 ? LogLevel::info : LogLevel::debug;
}

int log_text(lua_State* lua) {
    const LogLevel level = level_of(luaL_checkinteger(lua, 1));
    std::size_t length = 0;
    const char* const text = luaL_checklstring(lua, 2, &length);
    LuaState::of(lua).outside.log(level, {text, length});
    return 0;
}

int tell_user(lua_State* lua) {
    std::size_t length = 0;
    const char* const text = luaL_checklstring(lua, 1, &length);
    LuaState::of(lua).outside.tell_user({text, length});
    return 0;
}

std::int64_t minutes_in(std::string_view text) {
    const auto limit = parse_time_limit(text);
    if (!limit.ok()) return kSlurmNoValue;
    if (!*limit) return kSlurmInfinite;
    return std::chrono::ceil<std::chrono::minutes>(**limit).count();
}

int time_to_minutes(lua_State* lua) {
    std::size_t length = 0;
    const char* const text = luaL_checklstring(lua, 1, &length);
    lua_pushinteger(lua, minutes_in({text, length}));
    return 1;
}

int qos_priority(lua_State* lua) {
    std::size_t length = 0;
    const char* const qos = luaL_checklstring(lua, 1, &length);
    LuaState& s = LuaState::of(lua);
    s.value = s.outside.qos_priority({qos, length});
    s.push(s.value);
    return 1;
}

constexpr auto kLibraries = std::to_array<luaL_Reg>({
    {LUA_GNAME, luaopen_base},
    {LUA_TABLIBNAME, luaopen_table},
    {LUA_STRLIBNAME, luaopen_string},
    {LUA_MATHLIBNAME, luaopen_math},
    {LUA_UTF8LIBNAME, luaopen_utf8},
    {LUA_OSLIBNAME, luaopen_os},
});
constexpr auto kFunctions = std::to_array<luaL_Reg>({
    {"log", log_text},
    {"user_msg", tell_user},
    {"time_str2mins", time_to_minutes},
    {"get_qos_priority", qos_priority},
    {nullptr, nullptr},
});

int load_script(lua_State* lua) {
    LuaState& s = LuaState::of(lua);
    for (const luaL_Reg& library : kLibraries) {
        luaL_requiref(lua, library.name, library.func, 1);
        lua_pop(lua, 1);
    }
    open_counted_patterns(lua, kCharge);
    open_counted_lists(lua, kCharge);
    lua_newtable(lua);
    luaL_setfuncs(lua, kFunctions.data(), 0);
    for (const ScriptConstant& constant : s.source->constants) {
        s.push(constant.value);
        lua_setfield(lua, -2, constant.name);
    }
    lua_setglobal(lua, "slurm");
    if (luaL_loadbufferx(lua, kLuaPrelude, std::string_view(kLuaPrelude).size(), "=berthd", "t") !=
        LUA_OK) {
        return lua_error(lua);
    }
    lua_pushcfunction(lua, refuse);
    lua_call(lua, 1, 0);
    // Text alone: what is compiled already could break Lua's machine.
    if (luaL_loadbufferx(lua, s.source->text.data(), s.source->text.size(), s.chunk.c_str(), "t") !=
        LUA_OK) {
        return lua_error(lua);
    }
    lua_call(lua, 0, 0);
    for (const char* const function : s.source->functions) {
        if (lua_getglobal(lua, function) != LUA_TFUNCTION)
            return luaL_error(lua, "it should define a function %s", function);
        lua_pop(lua, 1);
    }
    return 0;
}

int call_function(lua_State* lua) {
    LuaState& s = LuaState::of(lua);
    lua_getglobal(lua, s.function);
    for (const ScriptValue& argument : s.arguments) s.push(argument);
    lua_call(lua, static_cast<int>(s.arguments.size()), 1);
    return 1;
}

}  // namespace

bool LuaState::take(int index) {
    value = std::monostate();
    switch (lua_type(lua, index)) {
        case LUA_TNIL: return true;
        case LUA_TBOOLEAN: value = lua_toboolean(lua, index) != 0; return true;
        case LUA_TNUMBER:
            if (lua_isinteger(lua, index) != 0) {
                value = std::int64_t{lua_tointeger(lua, index)};
            } else {
                value = double{lua_tonumber(lua, index)};
            }
            return true;
        case LUA_TSTRING: {
            std::size_t length = 0;
            const char* const text = lua_tolstring(lua, index, &length);
            value.emplace<std::string>(text, length);
            return true;
        }
        default: return false;
    }
}

void LuaState::push(const ScriptValue& what) {
    luaL_checkstack(lua, 8, nullptr);
    if (const auto* const truth = std::get_if<bool>(&what)) return lua_pushboolean(lua, *truth);
    if (const auto* const whole = std::get_if<std::int64_t>(&what))
        return lua_pushinteger(lua, *whole);
    if (const auto* const number = std::get_if<double>(&what)) return lua_pushnumber(lua, *number);
    if (const auto* const text = std::get_if<std::string>(&what)) {
        lua_pushlstring(lua, text->data(), text->size());
    } else if (const auto* const list = std::get_if<ScriptList>(&what)) {
        lua_newtable(lua);
        for (std::size_t i = 0; i < list->size(); ++i) {
            lua_pushlstring(lua, (*list)[i].data(), (*list)[i].size());
            lua_rawseti(lua, -2, static_cast<lua_Integer>(i));
        }
    } else if (const auto* const table = std::get_if<ScriptTable*>(&what)) {
        push_table(*table);
    } else if (const auto* const named = std::get_if<ScriptTables>(&what)) {
        lua_newtable(lua);
        for (const auto& [field, one] : *named) {
            push_table(one);
            lua_setfield(lua, -2, field.c_str());
        }
    } else {
        lua_pushnil(lua);
    }
}

// An empty table: every field goes through its metatable.
void LuaState::push_table(ScriptTable* table) {
    std::size_t place = 0;
    while (place < tables.size() && tables[place] != table) ++place;
    if (place == tables.size()) tables.push_back(table);
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    for (const auto& [event, access] :
         {std::pair<const char*, lua_CFunction>{"__index", read_field},
          {"__newindex", write_field}}) {
        push_number(place);
        lua_pushinteger(lua, call);
        lua_pushcclosure(lua, access, 2);
        lua_setfield(lua, -2, event);
    }
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
}

Error LuaState::error_in(int failure) {
    if (failure == LUA_ERRMEM) {
        spoilt = true;
        return invalid_argument(name + ": not enough memory: a script may hold " +
                                std::to_string(limits.memory >> 20) + " MiB");
    }
    std::size_t length = 0;
    const char* const said = lua_tolstring(lua, -1, &length);
    std::string text = said == nullptr ? "it failed" : std::string(said, length);
    if (!text.starts_with(name + ":")) text = name + ": " + text;
    return invalid_argument(text.substr(0, kErrorBytesMost));
}

Status LuaState::run(lua_CFunction what) {
    instructions_left = limits.instructions;
    counted_by = kInstructionsPerCount;
    lua_settop(lua, 0);
    lua_sethook(lua, count, LUA_MASKCOUNT, counted_by);
    lua_pushcfunction(lua, describe);
    lua_pushcfunction(lua, what);
    const int failure = lua_pcall(lua, 0, 1, 1);
    lua_sethook(lua, nullptr, 0, 0);
    if (failure != LUA_OK) return error_in(failure);
    take(-1);
    return Done{};
}

LuaScript::LuaScript(std::unique_ptr<LuaState> state) : state_(std::move(state)) {}
LuaScript::LuaScript(LuaScript&&) noexcept = default;
LuaScript& LuaScript::operator=(LuaScript&&) noexcept = default;
LuaScript::~LuaScript() = default;

Result<LuaScript> LuaScript::load(const Source& source, ScriptOutside& outside, LuaLimits limits) {
    auto state = std::make_unique<LuaState>(outside, limits);
    state->name = source.name;
    state->chunk = "@" + source.name;
    state->lua = lua_newstate(allocate, state.get());
    if (state->lua == nullptr) return invalid_argument(source.name + ": not enough memory");
    *static_cast<LuaState**>(lua_getextraspace(state->lua)) = state.get();
    state->source = &source;
    const Status done = state->run(load_script);
    state->source = nullptr;
    if (!done.ok()) return done.error();
    return LuaScript(std::move(state));
}

Result<ScriptValue> LuaScript::call(const char* function, std::span<const ScriptValue> arguments) {
    LuaState& s = *state_;
    s.function = function;
    s.arguments = arguments;
    const Status done = s.run(call_function);
    s.tables.clear();
    ++s.call;
    s.arguments = {};
    if (!done.ok()) return done.error();
    return std::exchange(s.value, ScriptValue());
}

bool LuaScript::is_spoilt() const { return state_->spoilt; }

}  // namespace berth
