// LuaScript: a script of the site in Lua 5.4, in a sandbox: bounded memory, bounded instructions,
// no files, programs or modules. It, lua_patterns.cc and lua_lists.cc
// alone know Lua's library.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "berth/base/log.h"
#include "berth/base/result.h"
#include "berth/server/submit/script_value.h"

namespace berth {

struct LuaLimits {
    std::size_t memory = 16 << 20;           // Bytes, of all that the script holds.
    std::int64_t instructions = 10'000'000;  // Of Lua's machine, for each load and each call.
};

// What a script says while it runs, and what it asks of the cluster.
class ScriptOutside {
public:
    virtual ~ScriptOutside() = default;
    virtual void log(LogLevel level, std::string_view text) = 0;
    virtual void tell_user(std::string_view text) = 0;
    virtual ScriptValue qos_priority(std::string_view qos) = 0;  // slurm.get_qos_priority
};

struct LuaState;

// Not for several threads at once.
class LuaScript {
public:
    struct Source {
        std::string name;  // For messages: "job_submit.lua".
        std::string_view text;
        std::span<const char* const> functions;  // That it must define.
        std::span<const ScriptConstant> constants;
    };
    // Runs the script's main chunk. An error begins with the name and, where there is one, the
    // line: "job_submit.lua:12: …". `outside` must live as long as the script.
    static Result<LuaScript> load(const Source& source, ScriptOutside& outside,
                                  LuaLimits limits = {});

    LuaScript(LuaScript&&) noexcept;
    LuaScript& operator=(LuaScript&&) noexcept;
    ~LuaScript();

    // Calls a global function: its first result. The script can use the tables that it is handed
    // until the call returns, and no longer.
    Result<ScriptValue> call(const char* function, std::span<const ScriptValue> arguments);

    // Whether a call has exceeded a limit: what the script then holds is not to be relied on.
    bool is_spoilt() const;

private:
    explicit LuaScript(std::unique_ptr<LuaState> state);

    std::unique_ptr<LuaState> state_;
};

}  // namespace berth
