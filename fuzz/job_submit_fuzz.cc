// What a site's job_submit.lua may do to a job: any value for any field, any pattern on any text.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "berth/server/submit/job_change_desc.h"
#include "berth/server/submit/job_desc.h"
#include "berth/server/submit/lua_script.h"

using berth::ClusterSpec;
using berth::JobChange;
using berth::JobChangeDesc;
using berth::JobDesc;
using berth::JobPayload;
using berth::JobSpec;
using berth::LogLevel;
using berth::LuaScript;
using berth::Principal;
using berth::ScriptOutside;
using berth::ScriptTable;
using berth::ScriptValue;

namespace {

constexpr const char* kPatterns = R"lua(
function decide(text, pattern)
    pcall(string.find, text, pattern)
    pcall(string.find, text, pattern, -2, true)
    pcall(string.match, text, pattern)
    pcall(string.gsub, text, pattern, "<%0%1>")
    pcall(string.gsub, text, pattern, string.upper)
    pcall(string.format, pattern, text)
    pcall(function() for _ in string.gmatch(text, pattern) do end end)
end
)lua";
constexpr std::array kFunctions = {"decide"};

struct Silent final : ScriptOutside {
    void log(LogLevel, std::string_view) override {}
    void tell_user(std::string_view) override {}
    ScriptValue qos_priority(std::string_view) override { return {}; }
};

// Written, a field can be read, and written again with what it read.
void write_twice(ScriptTable& table, std::string_view field, const ScriptValue& value) {
    if (!table.write(field, value).ok()) return;
    const ScriptValue read = table.read(field);
    if (read == ScriptValue() || field == "environment") return;
    if (!table.write(field, read).ok()) std::abort();
    if (table.read(field) != read) std::abort();
}

void write_fields(const std::string& text) {
    JobSpec spec;
    JobPayload payload{.script = "#!/bin/sh\n", .environment = {"A=1"}};
    const Principal who{.uid = 1000, .gid = 1000, .user = "ann", .group = "users"};
    const ClusterSpec cluster;
    JobDesc desc({spec, payload, who, cluster, {}});
    JobChange change;
    JobChangeDesc modified(change);
    for (const ScriptValue& value :
         {ScriptValue(text), ScriptValue(std::strtod(text.c_str(), nullptr))}) {
        for (const std::string_view field : JobDesc::writable()) write_twice(desc, field, value);
        for (const std::string_view field : JobChangeDesc::writable())
            write_twice(modified, field, value);
        for (const std::string_view field : JobDesc::readable()) (void)desc.read(field);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    static Silent silent;
    const std::string all(reinterpret_cast<const char*>(bytes), size);
    const std::size_t half = size == 0 ? 0 : bytes[0] % size;
    const std::string text = all.substr(half), pattern = all.substr(0, half);
    static auto script =
        LuaScript::load({"fuzz.lua", kPatterns, kFunctions, {}}, silent, {.instructions = 100'000});
    const std::array<ScriptValue, 2> arguments = {text, pattern};
    (void)script->call("decide", arguments);
    write_fields(text);
    return 0;
}
