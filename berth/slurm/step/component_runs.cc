#include "berth/slurm/step/component_runs.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ostream>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"
#include "berth/slurm/options/job_options.h"
#include "berth/slurm/step/held_signals.h"
#include "berth/slurm/step/step_files.h"

namespace berth::slurm {
namespace {

constexpr std::uint32_t kGroupsMax = 128;

Error bad_groups(const std::string& text) {
    return {ErrorCode::invalid_argument,
            "--het-group=" + text + " should be a list of components, like 0, 0,2 or 0-3"};
}

bool is_number(std::string_view text, std::uint32_t& out) {
    const auto number = parse_int64(text);
    if (!number.ok() || number.value() < 0 || number.value() >= kGroupsMax) return false;
    out = static_cast<std::uint32_t>(number.value());
    return true;
}

// The steps of this srun, by process.
class Children {
public:
    Children() {
        sigemptyset(&watched_);
        sigaddset(&watched_, SIGCHLD);
        for (const int one : kForwardedSignals) sigaddset(&watched_, one);
        sigprocmask(SIG_BLOCK, &watched_, &before_);
        // Ctrl-C goes to the children, which are in the same group; each knows what it means.
        previous_ = ::signal(SIGINT, SIG_IGN);
    }
    ~Children() {
        ::signal(SIGINT, previous_);
        sigprocmask(SIG_SETMASK, &before_, nullptr);
    }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;

    bool start(bool has_input, const std::function<int()>& body) {
        const pid_t child = ::fork();
        if (child < 0) return false;
        if (child > 0) return pids_.push_back(child), true;
        ::signal(SIGINT, previous_);
        sigprocmask(SIG_SETMASK, &before_, nullptr);
        if (!has_input) {
            const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
            if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
        }
        ::_exit(body());
    }

    void end_all(int signal) const {
        for (const pid_t pid : pids_) ::kill(pid, signal);
    }

    int wait(bool kill_on_bad_exit) {
        int highest = 0;
        while (!pids_.empty()) {
            int status = 0;
            const pid_t over = ::waitpid(-1, &status, WNOHANG);
            if (over <= 0) {
                const int signal = sigwaitinfo(&watched_, nullptr);
                if (signal > 0 && signal != SIGCHLD) end_all(signal);
                continue;
            }
            if (std::erase(pids_, over) == 0) continue;
            const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
            highest = std::max(highest, code);
            if (code != 0 && kill_on_bad_exit) end_all(SIGTERM);
        }
        return highest;
    }

private:
    std::vector<pid_t> pids_;
    sigset_t watched_{}, before_{};
    sighandler_t previous_ = SIG_DFL;
};

}  // namespace

Result<std::vector<std::uint32_t>> parse_groups(const std::string& text) {
    std::vector<std::uint32_t> groups;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t dash = part.find('-');
        std::uint32_t first = 0, last = 0;
        if (!is_number(part.substr(0, dash), first)) return bad_groups(text);
        last = first;
        if (dash != std::string_view::npos && !is_number(part.substr(dash + 1), last))
            return bad_groups(text);
        if (last < first) return bad_groups(text);
        for (std::uint32_t group = first; group <= last; ++group) groups.push_back(group);
    }
    std::ranges::sort(groups);
    const auto repeated = std::ranges::unique(groups);
    groups.erase(repeated.begin(), repeated.end());
    return groups;
}

Result<Invocation> call_in_group(const Invocation& within, const ComponentRun& run) {
    const std::string* const size = within.variable(kSlurmHetSize);
    if (size == nullptr) {
        return Error{ErrorCode::failed_precondition,
                     "not within a heterogeneous job: SLURM_HET_SIZE is not set"};
    }
    const std::string suffix = kHetGroupSuffix + std::to_string(run.group);
    if (within.variable(kSlurmJobId + suffix) == nullptr) {
        return Error{
            ErrorCode::failed_precondition,
            "there is no component " + std::to_string(run.group) + ": SLURM_HET_SIZE is " + *size};
    }
    Invocation call{.name = within.name, .arguments = run.arguments, .environment = {}};
    call.environment = within.environment;
    // What the first component has and this one has not must not be taken for this one's.
    for (const auto& [name, value] : within.environment) {
        if (within.variable(name + "_HET_GROUP_0") != nullptr) call.environment.erase(name);
    }
    for (const auto& [name, value] : within.environment) {
        if (name.ends_with(suffix))
            call.environment[name.substr(0, name.size() - suffix.size())] = value;
    }
    return call;
}

int run_components(const Invocation& within, const std::vector<ComponentRun>& runs,
                   bool kill_on_bad_exit, Streams& streams,
                   const std::function<int(const Invocation&)>& run) {
    std::vector<Invocation> calls;
    for (const ComponentRun& one : runs) {
        auto call = call_in_group(within, one);
        if (!call.ok()) {
            streams.err << "srun: error: " + call.error().message + "\n";
            return 1;
        }
        calls.push_back(*std::move(call));
    }
    streams.out.flush(), streams.err.flush();
    share_truncations();
    Children children;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const bool started = children.start(i == 0, [&] {
            const int code = run(calls[i]);
            streams.out.flush(), streams.err.flush();
            return code;
        });
        if (started) continue;
        const std::string why = std::strerror(errno);
        streams.err << "srun: error: cannot start a process: " + why + "\n";
        children.end_all(SIGTERM);
        return std::max(1, children.wait(false));
    }
    return children.wait(kill_on_bad_exit);
}

}  // namespace berth::slurm
