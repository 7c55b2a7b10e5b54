// Attempts: those that are live on this node, from the launch order to the empty cgroup, with their
// steps. What must survive is in Memory; here is only what a new process can find out again.
#pragma once

#include "berth/agent/agent_protections.h"
#include "berth/agent/memory.h"
#include "berth/agent/ports.h"

namespace berth {

// What a turn comes to, besides the writes that Memory collects.
struct Effects {
    Time now{};
    std::vector<HostAction> actions;
    std::vector<ReportBody> reports;
};

// "ended with exit code 3"; empty: it ended well.
std::string hook_failure(const ExitStatus& exit);

class Attempts {
public:
    Attempts(Memory& memory, AgentProtections protections)
        : memory_(memory), protections_(protections) {}

    // At the start of the process: what Memory holds meets what is alive. `rebooted`: the node has
    // been started again, so nothing is.
    void adopt(std::span<const RunKey> alive, bool rebooted);
    // After the first turn's events: ends what is neither alive nor has left an exit record.
    void settle(Effects& effects);

    void launch(LaunchAttempt order, Effects& effects);
    void launch_step(LaunchStep order, Effects& effects);
    void end(const EndAttempt& order, Effects& effects);
    void end_step(const EndStep& order, Effects& effects);
    void signal(const SignalAttempt& order, Effects& effects);
    void acknowledge(const AcknowledgeEnd& order);
    void freeze(const FreezeAttempt& order, Effects& effects);  // freezing.cc
    void notify(const NotifyAttempt& order, Effects& effects);

    void started(const RunKey& run, Effects& effects);
    void failed_to_start(const RunFailedToStart& event, Effects& effects);
    void exited(const RunExited& event, Effects& effects);
    void emptied(const RunKey& run, Effects& effects);

    // KILL where TERM was not enough.
    void kill_overdue(Effects& effects);
    std::optional<Time> next_due() const;

    std::vector<AttemptReport> live() const;
    bool any_live() const { return !live_.empty(); }

private:
    struct LiveStep {
        enum class Phase { waiting, starting, running } phase = Phase::running;
        std::optional<LaunchStep> launch;  // While waiting for its attempt to start.
        std::optional<Time> kill_at;
        std::vector<std::int32_t> signals;  // That came before it started.
    };
    struct LiveAttempt {
        bool starting = false;
        bool keep_due = false;  // Nothing of it runs here, and it goes on.
        bool to_start = false;  // The process before fell between its disk and the deed.
        bool exit_due = false;  // Its script is gone; the exit record is still to come, or lost.
        bool hook_due = false;  // A prolog or epilog that is gone; word of its end may still come.
        std::optional<Time> kill_at, kill_hook_at;
        std::vector<std::string> notices;    // That came before it started.
        std::vector<SignalAttempt> signals;  // Likewise.
        std::map<StepId, LiveStep> steps;    // Those not yet ended.
    };

    LiveAttempt* find(AttemptKey key);
    LiveStep* find_step(const RunKey& run);
    void adopt_one(const RememberedAttempt& attempt, std::span<const RunKey> alive);
    void settle_one(AttemptKey key, Effects& effects);
    void settle_steps(AttemptKey key, Effects& effects);

    // Why this launch cannot be: what it wants is held by a live attempt. Empty: it can.
    std::string conflict(const LaunchAttempt& order) const;
    void refuse(AttemptKey key, std::string why, Effects& effects);
    void attempt_started(AttemptKey key, Effects& effects);
    void start_step(AttemptKey key, const LaunchStep& order, Effects& effects);
    void tell_user(AttemptKey key, const std::string& text, Effects& effects) const;
    void begin_end(AttemptKey key, Duration kill_wait, std::int32_t signal, Effects& effects);
    void begin_step_end(const RunKey& run, Duration kill_wait, Effects& effects);
    void fail(AttemptKey key, std::string why, NotBegun not_begun = NotBegun::unknown);
    void prolog_not_begun(const RunFailedToStart& event, Effects& effects);
    void finish_steps(AttemptKey key, Effects& effects);
    void finish(AttemptKey key, Effects& effects);    // What it held is free: the epilog, if any …
    void conclude(AttemptKey key, Effects& effects);  // … and the report.
    // ---- The site's programs (hooks.cc).
    void start_hook(AttemptKey key, Hook hook, Effects& effects);
    void hook_ended(const RunKey& run, const std::string& failure, Effects& effects);
    void adopt_hook(const RememberedAttempt& attempt, std::span<const RunKey> alive);
    void finish_step(const RunKey& run, std::string_view otherwise, Effects& effects);
    void report_end(AttemptReport end, Effects& effects);
    void report_end(StepReport end, Effects& effects);

    Memory& memory_;
    AgentProtections protections_;
    bool rebooted_ = false;  // Until settled.
    std::map<AttemptKey, LiveAttempt> live_;
};

}  // namespace berth
