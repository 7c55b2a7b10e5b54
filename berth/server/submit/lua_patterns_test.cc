#include "berth/server/submit/lua_patterns.h"

#include <gtest/gtest.h>

#include <lua5.4/lua.hpp>
#include <memory>
#include <string>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr LuaCharge kFree{[](lua_State*, std::int64_t) {}};

// Calls both on the same arguments: their results and their errors must be the same.
constexpr const char* kCompare = R"lua(
local function same(name, ...)
    local a, b = table.pack(pcall(original[name], ...)), table.pack(pcall(string[name], ...))
    local equal = a.n == b.n
    for i = 1, math.max(a.n, b.n) do equal = equal and a[i] == b[i] end
    if equal then return end
    local function shown(list)
        local words = {}
        for i = 1, list.n do words[i] = string.format("%q", tostring(list[i])) end
        return table.concat(words, ", ")
    end
    error(string.format("%s(%s) is %s, not %s", name, shown(table.pack(...)), shown(b), shown(a)), 0)
end
local function all(gmatch, s, p)
    local found = {}
    for one, two in gmatch(s, p) do
        found[#found + 1] = tostring(one) .. "/" .. tostring(two)
        if #found > 100 then break end
    end
    return table.concat(found, " ")
end
function compare(s, p)
    same("find", s, p)
    same("find", s, p, 3)
    same("find", s, p, -2)
    same("find", s, p, 100)
    same("find", s, p, 1, true)
    same("match", s, p)
    same("match", s, p, -3)
    same("gsub", s, p, "<%0>")
    same("gsub", s, p, "%1%%", 2)
    same("gsub", s, p, "%")
    same("gsub", s, p, {a = "A", b = 7, c = false})
    same("gsub", s, p, function(one, two) if one == "b" then return nil end return two end)
    same("gsub", s, p, function() return {} end)
    local a, x = pcall(all, original.gmatch, s, p)
    local b, y = pcall(all, string.gmatch, s, p)
    if a ~= b or x ~= y then
        error(string.format("gmatch(%q, %q) is %s, not %s", s, p, tostring(y), tostring(x)), 0)
    end
end
local pieces = {"a", "b", "c", ".", "%a", "%D", "%s", "%w", "%", "%%", "[ab]", "[^b]", "[a-c%d]", "[",
                "]", "(", ")", "()", "*", "+", "-", "?", "^", "$", "%1", "%2", "%b()", "%f[%a]", "%f",
                "\0", "%x", "[%]]", "[]]", "1"}
local letters = {"a", "b", "c", "(", ")", " ", "1", "\0", "A", "%"}
local function drawn(from, most)
    local words = {}
    for i = 1, math.random(0, most) do words[i] = from[math.random(#from)] end
    return table.concat(words)
end
function compare_random(seed)
    math.randomseed(seed)
    for _ = 1, 300 do compare(drawn(letters, 12), drawn(pieces, 6)) end
end
)lua";

class Patterns : public ::testing::Test {
protected:
    Patterns() {
        luaL_openlibs(lua());
        EXPECT_EQ(luaL_dostring(lua(),
                                "original = {} for name, it in pairs(string) do "
                                "original[name] = it end"),
                  LUA_OK);
        open_counted_patterns(lua(), kFree);
        EXPECT_EQ(luaL_dostring(lua(), kCompare), LUA_OK) << lua_tostring(lua(), -1);
    }
    lua_State* lua() { return state_.get(); }
    std::string objection(const std::string& code) {
        if (luaL_dostring(lua(), code.c_str()) == LUA_OK) return {};
        return lua_tostring(lua(), -1);
    }

private:
    std::unique_ptr<lua_State, decltype(&lua_close)> state_{luaL_newstate(), &lua_close};
};

TEST_F(Patterns, AreThoseOfLua) {
    for (const char* const pair : {"'#SBATCH --mem=4G', '#SBATCH%s+%-%-mem=(%S+)'",
                                   "'gpu:a100:4', 'gpu:([%w_]+):(%d+)'",
                                   "'k = v', '(%w+)%s*=%s*(%w+)'",
                                   "'THE (quick) fox', '%((%a+)%)'",
                                   "'', ''",
                                   "'abc', ''",
                                   "'aaa', 'a-'",
                                   "'aaab', '^a*b$'",
                                   "'f(a(b)c)d', '%b()'",
                                   "'THE (quick) fox', '%f[%a]%a+'",
                                   "'hello hello', '(%w+) %1'",
                                   "'abc', '()b()'",
                                   "'abc', '[a-'",
                                   "'abc', '%'",
                                   "'abc', '(a'",
                                   "'abc', 'a)'",
                                   "'abc', '%b'",
                                   "'abc', '%fa'",
                                   "'abc', '%1'",
                                   "string.rep('a', 300), string.rep('a-', 250)",
                                   "string.rep('a', 300), string.rep('(a', 40)"}) {
        EXPECT_EQ(objection(std::string("compare(") + pair + ")"), "");
    }
}

TEST_F(Patterns, AreThoseOfLuaForRandomOnes) {
    testing::for_each_seed(20, [&](Rng& rng) {
        EXPECT_EQ(objection("compare_random(" + std::to_string(rng.next() % 1'000'000'000) + ")"),
                  "");
    });
}

}  // namespace
}  // namespace berth
