// JobSubmit: the site's own rules for submissions and changes of jobs (JobSubmitPlugins), applied
// before the controller sees the command: job_submit.lua, all_partitions, require_timelimit.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "berth/api/problem.h"
#include "berth/control/turn/command.h"
#include "berth/server/snapshot/read_model.h"
#include "berth/server/submit/lua_script.h"
#include "berth/server/submit/submit_speech.h"

namespace berth {

inline constexpr const char* kSubmitScriptName = "job_submit.lua";

// From any thread; one command at a time, as with Slurm.
class JobSubmit {
public:
    struct Outcome {
        std::optional<api::Problem> refused;
        std::vector<std::string> messages;  // For the user: slurm.log_user().
    };

    explicit JobSubmit(LogSink& log, LuaLimits limits = {}) : speech_(log), limits_(limits) {}

    // Whether the configuration has plugins that see such a command.
    static bool concerns(const ClusterSpec& spec, const Command& command);
    // Lets the plugins see and change the command.
    Outcome apply(const Snapshot& snapshot, const Principal& who, Command& command);

    // Whether the script can be loaded: "job_submit.lua:3: …" if not.
    static Status check(const std::string& script);

private:
    struct Asked {
        const Snapshot& snapshot;
        const Principal& who;
    };
    using Refusing = std::optional<api::Problem>;

    Refusing submit(const Asked& asked, SubmitJob& job);
    Refusing submit_to(const std::string& plugin, const Asked& asked, SubmitJob& job,
                       std::size_t component);
    Refusing modify(const Asked& asked, const JobRef& ref, JobChange& change);
    Refusing hold(const Asked& asked, const HoldJob& command);
    Refusing call_script(const Asked& asked, const char* function,
                         std::span<const ScriptValue> arguments);
    Status load(const SharedText& text);
    Refusing refuse_by(const Asked& asked, std::int64_t number, std::string why);
    Refusing fail(const Asked& asked, std::string error);

    std::mutex mutex_;  // Of all that follows.
    SubmitSpeech speech_;
    LuaLimits limits_;
    SharedText loaded_;
    std::optional<LuaScript> script_;
};

}  // namespace berth
