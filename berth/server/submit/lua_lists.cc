// Each function reckons what a call will cost, and leaves the work to Lua's own function: in the
// same frame, so that an error names the script's line.
#include "berth/server/submit/lua_lists.h"

#include <algorithm>
#include <array>
#include <bit>
#include <lua5.4/lua.hpp>

namespace berth {
namespace {

constexpr std::uint64_t kItemsMost = std::uint64_t{1} << 40;  // Far beyond any limit.
constexpr std::uint64_t kItemsPerStep = 4;

using ListCost = std::uint64_t (*)(lua_State* lua);  // Items; less than kItemsMost counts exactly.

// How many there are from one to the other.
std::uint64_t how_many(lua_Integer first, lua_Integer last) {
    if (first > last) return 0;
    const std::uint64_t between =
        static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    return std::min(between, kItemsMost) + 1;
}

// What Lua's function refuses costs nothing.
lua_Integer items_of(lua_State* lua) { return lua_istable(lua, 1) ? luaL_len(lua, 1) : 0; }

lua_Integer integer_at(lua_State* lua, int index, lua_Integer otherwise) {
    int is_number = 0;
    const lua_Integer number = lua_tointegerx(lua, index, &is_number);
    return is_number == 0 ? otherwise : number;
}

// Where a place is given, which is so with this many arguments, those behind it move by one.
template <int with_place>
std::uint64_t cost_of_shifting(lua_State* lua) {
    if (lua_gettop(lua) < with_place) return 0;
    const lua_Integer last = items_of(lua);
    return how_many(integer_at(lua, 2, last), last);
}

std::uint64_t cost_of_joining(lua_State* lua) {
    const lua_Integer last = lua_isnoneornil(lua, 4) ? items_of(lua) : integer_at(lua, 4, 0);
    return how_many(integer_at(lua, 3, 1), last);
}

std::uint64_t cost_of_unpacking(lua_State* lua) {
    const lua_Integer last = lua_isnoneornil(lua, 3) ? items_of(lua) : integer_at(lua, 3, 0);
    return how_many(integer_at(lua, 2, 1), last);
}

// As many comparisons, which take longer than moves.
std::uint64_t cost_of_sorting(lua_State* lua) {
    const std::uint64_t items = how_many(1, items_of(lua));
    return items * static_cast<std::uint64_t>(std::bit_width(items)) * kItemsPerStep;
}

std::uint64_t cost_of_copying(lua_State* lua) {
    return how_many(integer_at(lua, 2, 1), integer_at(lua, 3, 0));
}

// Upvalues: the charge, Lua's own function.
template <ListCost cost>
int counted_list(lua_State* lua) {
    const std::uint64_t items = std::min(cost(lua), kItemsMost);
    const auto* const by = static_cast<const LuaCharge*>(lua_touserdata(lua, lua_upvalueindex(1)));
    by->charge(lua, static_cast<std::int64_t>(items / kItemsPerStep));
    return lua_tocfunction(lua, lua_upvalueindex(2))(lua);
}

// The bytes that it makes are counted as they are allocated.
int repeat_text(lua_State* lua) {
    std::size_t text = 0, separator = 0;
    luaL_checklstring(lua, 1, &text);
    luaL_optlstring(lua, 3, "", &separator);
    if (text + separator == 0) {
        luaL_checkinteger(lua, 2);
        lua_pushliteral(lua, "");
        return 1;
    }
    return lua_tocfunction(lua, lua_upvalueindex(2))(lua);
}

struct ListFunction {
    const char *library, *name;
    lua_CFunction as;
};
constexpr auto kListFunctions = std::to_array<ListFunction>({
    {LUA_TABLIBNAME, "insert", counted_list<cost_of_shifting<3>>},
    {LUA_TABLIBNAME, "remove", counted_list<cost_of_shifting<2>>},
    {LUA_TABLIBNAME, "concat", counted_list<cost_of_joining>},
    {LUA_TABLIBNAME, "unpack", counted_list<cost_of_unpacking>},
    {LUA_TABLIBNAME, "sort", counted_list<cost_of_sorting>},
    {LUA_TABLIBNAME, "move", counted_list<cost_of_copying>},
    {LUA_STRLIBNAME, "rep", repeat_text},
});

}  // namespace

void open_counted_lists(lua_State* lua, const LuaCharge& charge) {
    for (const ListFunction& one : kListFunctions) {
        lua_getglobal(lua, one.library);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): it is only read.
        lua_pushlightuserdata(lua, const_cast<LuaCharge*>(&charge));
        lua_getfield(lua, -2, one.name);
        lua_pushcclosure(lua, one.as, 2);
        lua_setfield(lua, -2, one.name);
        lua_pop(lua, 1);
    }
}

}  // namespace berth
