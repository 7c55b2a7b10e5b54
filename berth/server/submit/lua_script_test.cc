#include "berth/server/submit/lua_script.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "berth/model/invalid_argument.h"
#include "berth/server/submit/slurm_numbers.h"

namespace berth {
namespace {

constexpr const char* kDecide[] = {"decide"};

struct Noted final : ScriptOutside {
    void log(LogLevel level, std::string_view text) override {
        said.push_back(std::string(to_string(level)) + ": " + std::string(text));
    }
    void tell_user(std::string_view text) override { told.emplace_back(text); }
    ScriptValue qos_priority(std::string_view qos) override {
        return qos == "high" ? ScriptValue(std::int64_t{1000}) : ScriptValue();
    }
    std::vector<std::string> said, told;
};

struct Fields final : ScriptTable {
    ScriptValue read(std::string_view field) override {
        const auto found = values.find(field);
        return found == values.end() ? ScriptValue() : found->second;
    }
    Status write(std::string_view field, const ScriptValue& value) override {
        if (field == "fixed") return invalid_argument("fixed cannot be set");
        values[std::string(field)] = value;
        return Done{};
    }
    std::map<std::string, ScriptValue, std::less<>> values;
};

class Lua : public ::testing::Test {
protected:
    Result<LuaScript> load(std::string_view text, LuaLimits limits = {}) {
        return LuaScript::load({"rules.lua", text, kDecide, slurm_constants()}, outside, limits);
    }
    std::string load_error(std::string_view text, LuaLimits limits = {}) {
        const auto script = load(text, limits);
        return script.ok() ? "" : script.error().message;
    }
    // Of a script whose function has this body: what it returns, or the error.
    ScriptValue value(const std::string& body) {
        auto script = load("function decide(job, parts, uid) " + body + " end");
        EXPECT_TRUE(script.ok()) << script.error().message;
        auto result = call(*script);
        EXPECT_TRUE(result.ok()) << result.error().message;
        return result.value_or(ScriptValue());
    }
    std::string error(const std::string& body, LuaLimits limits = {}) {
        auto script = load("function decide(job, parts, uid) " + body + " end", limits);
        if (!script.ok()) return script.error().message;
        const auto result = call(*script);
        return result.ok() ? "" : result.error().message;
    }
    Result<ScriptValue> call(LuaScript& script) {
        const std::vector<ScriptValue> arguments = {
            static_cast<ScriptTable*>(&job),
            ScriptTables{{"gpu", &gpu}, {"cpu", &cpu}},
            std::int64_t{1000},
        };
        return script.call("decide", arguments);
    }

    Noted outside;
    Fields job, gpu, cpu;
};

TEST_F(Lua, ReadsAndWritesFields) {
    Fields environment;
    job.values["name"] = std::string("train");
    job.values["argv"] = ScriptList{"run.sh", "a"};
    job.values["environment"] = static_cast<ScriptTable*>(&environment);
    value(R"(
        job.partition = "gpu"
        job.nodes = 4
        job.hours = 1.5
        job.requeue = true
        job.nothing = nil
        job.copy = job.name .. "/" .. job.argv[0] .. "/" .. job.argv[1] .. "/" .. tostring(job.argv[2])
        job.environment["A"] = "1"
        job.environment.B = job.environment.A
        return 0)");
    EXPECT_EQ(job.values["partition"], ScriptValue(std::string("gpu")));
    EXPECT_EQ(job.values["nodes"], ScriptValue(std::int64_t{4}));
    EXPECT_EQ(job.values["hours"], ScriptValue(1.5));
    EXPECT_EQ(job.values["requeue"], ScriptValue(true));
    EXPECT_EQ(job.values["nothing"], ScriptValue());
    EXPECT_EQ(job.values["copy"], ScriptValue(std::string("train/run.sh/a/nil")));
    EXPECT_EQ(environment.values["B"], ScriptValue(std::string("1")));
}

TEST_F(Lua, IteratesOverNamedTables) {
    gpu.values["max"] = std::int64_t{5};
    cpu.values["max"] = std::int64_t{7};
    EXPECT_EQ(value("local sum = uid for name, part in pairs(parts) do sum = sum + part.max end "
                    "return sum + parts.gpu.max"),
              ScriptValue(std::int64_t{1017}));
}

TEST_F(Lua, KeepsItsGlobalsFromCallToCall) {
    auto script = load("count = 0 function decide() count = count + 1 return count end");
    ASSERT_TRUE(script.ok());
    EXPECT_EQ(*call(*script), ScriptValue(std::int64_t{1}));
    EXPECT_EQ(*call(*script), ScriptValue(std::int64_t{2}));
}

TEST_F(Lua, ForgetsAJobWithTheCallThatItWasHandedTo) {
    auto script = load("function decide(job) if kept then return kept.name end kept = job end");
    ASSERT_TRUE(script.ok());
    EXPECT_TRUE(call(*script).ok());
    const auto second = call(*script);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("only known in the call"), std::string::npos);
}

TEST_F(Lua, SaysFileAndLineOfWhatIsWrong) {
    EXPECT_EQ(load_error("x = 1\ny = = 2"), "rules.lua:2: unexpected symbol near '='");
    EXPECT_EQ(load_error("x = 1\n\nnothing.there = 2"),
              "rules.lua:3: attempt to index a nil value (global 'nothing')");
    EXPECT_EQ(load_error("x = 1"), "rules.lua: it should define a function decide");
    EXPECT_EQ(load_error("decide = 5"), "rules.lua: it should define a function decide");
    EXPECT_EQ(load_error("\x1bLua"), "rules.lua: attempt to load a binary chunk (mode is 't')");
    EXPECT_EQ(error("\n job.fixed = 1"), "rules.lua:2: fixed cannot be set");
    EXPECT_EQ(error("error('no way')"), "rules.lua:1: no way");
    EXPECT_EQ(error("error('no way', 0)"), "rules.lua: no way");
}

TEST_F(Lua, TakesErrorsThatAreNoTexts) {
    EXPECT_EQ(error("error({code = 7})"),
              "rules.lua: error() was called with a table instead of a text");
    EXPECT_EQ(error("error()"), "rules.lua: error() was called with a nil instead of a text");
    EXPECT_EQ(error("error(7)"), "rules.lua: 7");
    EXPECT_EQ(error("error(setmetatable({}, {__tostring = function() while true do end end}))"),
              "rules.lua: error() was called with a table instead of a text");
    EXPECT_LE(error("error(string.rep('x', 100000))").size(), 1000U);
}

TEST_F(Lua, StopsWhatRunsTooLong) {
    const std::string stopped = "stopped after 10000000 instructions";
    for (const char* const body :
         {"while true do end", "for i = 1, 1e15 do end", "repeat until false",
          "while true do pcall(function() while true do end end) end",
          "local function f() return f() end return f()", "while true do job.x = job.x end"}) {
        EXPECT_NE(error(body).find(stopped), std::string::npos) << body << ": " << error(body);
    }
    for (const char* const body :
         {"local s = string.rep(' ', 1000000) return s:find('%s*x')",
          "local s = string.rep('a', 1000000) return s:match('.-.-.-x')",
          "local s = string.rep('a', 1000000) return (s:gsub('a*b', ''))",
          "for w in string.rep('a', 1000000):gmatch('a*b') do end",
          "local s = string.rep('(', 1000000) return s:find('%b()')",
          "local s = string.rep('a', 1000) while true do pcall(s.find, s, '.-.-.-x') end"}) {
        EXPECT_NE(error(body).find(stopped), std::string::npos) << body << ": " << error(body);
    }
    for (const char* const body :
         {"local s = '' for i = 1, 1e6 do s = s .. 'sixteen bytes ..' end",
          "local t = {} for i = 1, 3e5 do t[i] = 1 end while #t > 0 do table.remove(t, 1) end",
          "local t = {} for i = 1, 3e5 do t[i] = 1 end for i = 1, 3e5 do table.insert(t, 1, i) end",
          "local t = {} for i = 1, 3e5 do t[i] = '' end while true do table.concat(t) end",
          "local t = {} for i = 1, 3e5 do t[i] = 1 end while true do table.sort(t) end",
          "local t = {} for i = 1, 1e5 do t[i] = 1 end while true do unpack(t) end",
          "table.move({}, 1, 1e15, 2)", "table.move({}, math.mininteger, -2, 1)",
          "table.insert(setmetatable({}, {__len = function() return 1e15 end}), 1, 1)"}) {
        EXPECT_NE(error(body).find(stopped), std::string::npos) << body << ": " << error(body);
    }
    EXPECT_NE(load_error("while true do end").find(stopped), std::string::npos);
    EXPECT_NE(error("while true do end", {.instructions = 5000}).find("after 5000"),
              std::string::npos);
}

TEST_F(Lua, HasLuasOwnFunctionsOfLists) {
    EXPECT_EQ(value(R"(
        local t = {3, 1}
        table.insert(t, 2)
        table.insert(t, 1, 9)
        local gone = table.remove(t, 1) .. table.remove(t)
        table.sort(t, function(a, b) return a > b end)
        table.move(t, 1, 2, 2)
        return gone .. ":" .. table.concat(t, ",") .. ":" .. select("#", table.unpack(t, 1, 3)))"),
              ScriptValue(std::string("92:3,3,1:3")));
    EXPECT_EQ(value("return string.rep('', 1e15) .. ('ab'):rep(2, '-') .. ('x'):rep(-1)"),
              ScriptValue(std::string("ab-ab")));
    EXPECT_EQ(error("table.insert({}, 5, 1)"),
              "rules.lua:1: bad argument #2 to 'insert' (position out of bounds)");
    EXPECT_TRUE(error("table.concat({{}})").starts_with("rules.lua:1: invalid value "));
    EXPECT_EQ(error("table.remove(nil, 1)"),
              "rules.lua:1: bad argument #1 to 'remove' (table expected, got nil)");
    EXPECT_EQ(error("string.rep('', 'x')"),
              "rules.lua:1: bad argument #2 to 'rep' (number expected, got string)");
    EXPECT_EQ(error("local t = {} for i = 1, 1e5 do table.insert(t, #t + 1, i) end "
                    "while #t > 0 do table.remove(t, #t) end"),
              "")
        << "what moves nothing costs nothing";
}

TEST_F(Lua, RefusesTooMuchMemory) {
    const std::string full = "rules.lua: not enough memory: a script may hold 16 MiB";
    for (const char* const body :
         {"local t = {} for i = 1, 1e9 do t[i] = i end",
          "local s = 'x' while true do s = s .. s end", "return string.rep('x', 1e9)",
          "return ('%s'):rep(1e8):format(1)"}) {
        EXPECT_EQ(error(body), full) << body;
    }
    EXPECT_EQ(error("for i = 1, 100 do local s = string.rep('x', 1e6) end"), "")
        << "what is not held any more does not count";
}

TEST_F(Lua, EndsRecursionThatIsTooDeep) {
    for (const char* const body :
         {"local function f() return 1 + f() end return f()",
          "local function f() return (string.gsub('a', 'a', function() return f() end)) end f()",
          "return setmetatable({}, {__index = function(t, k) return t[k] end}).x"}) {
        EXPECT_FALSE(error(body).empty()) << body;
    }
    EXPECT_FALSE(load_error("function decide() return " + std::string(100000, '(')).empty());
}

TEST_F(Lua, IsSpoiltOnceALimitIsExceeded) {
    auto script = load("function decide(job) if job.loop == 1 then while true do end end end");
    ASSERT_TRUE(script.ok());
    EXPECT_TRUE(call(*script).ok());
    EXPECT_FALSE(script->is_spoilt());
    job.values["loop"] = std::int64_t{1};
    EXPECT_FALSE(call(*script).ok());
    EXPECT_TRUE(script->is_spoilt());
}

TEST_F(Lua, RefusesWhatReachesOutOfTheSandbox) {
    for (const char* const body : {"io.open('/etc/passwd')",
                                   "io.popen('id')",
                                   "os.execute('id')",
                                   "os.remove('x')",
                                   "os.exit()",
                                   "os.rename('a', 'b')",
                                   "os.tmpname()",
                                   "require('posix')",
                                   "dofile('x')",
                                   "loadfile('x')",
                                   "load('x = 1')",
                                   "loadstring('x = 1')",
                                   "debug.getinfo(1)",
                                   "package.loadlib('x', 'y')",
                                   "package.path = 'x'",
                                   "coroutine.create(print)",
                                   "collectgarbage('stop')",
                                   "setmetatable({}, {__gc = print})",
                                   "slurm.jobs['1'] = 1",
                                   "return slurm.reservations",
                                   "return slurm.ESLURM_NO_SUCH_ERROR"}) {
        EXPECT_NE(error(body).find("is not available"), std::string::npos)
            << body << ": " << error(body);
    }
    EXPECT_EQ(value("return os.getenv('HOME')"), ScriptValue());
    EXPECT_EQ(value("return getmetatable(job)"), ScriptValue(false));
    EXPECT_TRUE(std::holds_alternative<std::int64_t>(value("return os.time()")));
    EXPECT_TRUE(std::holds_alternative<std::string>(value("return os.date('%Y')")));
}

TEST_F(Lua, RefusesFieldsThatAreNoValues) {
    EXPECT_EQ(error("job.x = {}"), "rules.lua:1: x should be a string or a number, not a table");
    EXPECT_EQ(error("job.x = print"),
              "rules.lua:1: x should be a string or a number, not a function");
    EXPECT_NE(error("job[{}] = 1").find("bad argument"), std::string::npos);
}

TEST_F(Lua, HasSlurmsFunctionsAndNumbers) {
    value(R"(
        slurm.log_info("%s asks for %d", "ann", 4)
        slurm.log_error("bad")
        slurm.log_debug("deep")
        slurm.error("plain")
        slurm.log_user("use %s", "gpu")
        slurm.user_msg("twice")
        print("a", 1, nil)
        return unpack({0}))");
    EXPECT_EQ(outside.said,
              (std::vector<std::string>{"info: ann asks for 4", "error: bad", "debug: deep",
                                        "error: plain", "info: a\t1\tnil"}));
    EXPECT_EQ(outside.told, (std::vector<std::string>{"use gpu", "twice"}));
    EXPECT_EQ(value("return slurm.SUCCESS"), ScriptValue(std::int64_t{0}));
    EXPECT_EQ(value("return slurm.ERROR"), ScriptValue(std::int64_t{-1}));
    EXPECT_EQ(value("return slurm.NO_VAL"), ScriptValue(std::int64_t{4294967294}));
    EXPECT_EQ(value("return slurm.NO_VAL64 == 2^64 - 2"), ScriptValue(true));
    EXPECT_EQ(value("return slurm.MEM_PER_CPU == 2^63"), ScriptValue(true));
    EXPECT_EQ(value("return slurm.ESLURM_INVALID_ACCOUNT"), ScriptValue(std::int64_t{2045}));
    EXPECT_EQ(value("return slurm.time_str2mins('1-02:00:30')"), ScriptValue(std::int64_t{1561}));
    EXPECT_EQ(value("return slurm.time_str2mins('UNLIMITED')"), ScriptValue(kSlurmInfinite));
    EXPECT_EQ(value("return slurm.time_str2mins('soon')"), ScriptValue(kSlurmNoValue));
    EXPECT_EQ(value("return slurm.get_qos_priority('high')"), ScriptValue(std::int64_t{1000}));
    EXPECT_EQ(value("return slurm.no_such_thing"), ScriptValue());
}

TEST(SlurmNumbers, KnowTheTextsOfErrors) {
    EXPECT_EQ(slurm_error_text(-1), "Unspecified error");
    EXPECT_EQ(slurm_error_text(2066), "Invalid qos specification");
    EXPECT_EQ(slurm_error_text(4711), "Unknown error 4711");
}

}  // namespace
}  // namespace berth
