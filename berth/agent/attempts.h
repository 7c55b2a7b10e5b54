// Attempts: the live attempts of this node with their steps, from the launch order to the empty
// cgroup. What must survive a crash is in Memory; the rest can be found out again by a new process.
#pragma once

#include <algorithm>

#include "berth/agent/agent_protections.h"
#include "berth/agent/memory.h"
#include "berth/agent/ports.h"

namespace berth {

// The results of a turn, besides the writes that Memory collects.
struct Effects {
    Time now{};
    std::vector<HostAction> actions;
    std::vector<ReportBody> reports;
};

// "ended with exit code 3"; empty: the hook succeeded.
std::string hook_failure(const ExitStatus& exit);

class Attempts {
public:
    Attempts(Memory& memory, AgentProtections protections)
        : memory_(memory), protections_(protections) {}

    // Call when the process starts: compares what Memory holds with what is alive. `rebooted`: the
    // node has rebooted, so nothing is alive.
    void adopt(std::span<const RunKey> alive, bool rebooted);
    // Call after the first turn's events: ends whatever is neither alive nor has left an exit
    // record.
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
    void frozen(const RunFrozen& event, Effects& effects);                  // freezing.cc
    void checkpoint_found(const CheckpointFound& event, Effects& effects);  // checkpoints.cc

    // Sends SIGKILL where SIGTERM has not sufficed in time, and reports where SIGKILL has not.
    void kill_overdue(Effects& effects);
    std::optional<Time> next_due() const;

    std::vector<AttemptReport> live() const;
    bool any_live() const { return !live_.empty(); }

private:
    struct LiveStep {
        enum class Phase { waiting, starting, running } phase = Phase::running;
        // Kept while the step waits for its attempt to start, or to go on.
        std::optional<LaunchStep> launch;
        std::optional<Time> kill_at, unkillable_at;
        // What arrived before the step started: signals, and why it is to end.
        std::vector<std::int32_t> signals;
        std::optional<NotifyRun> notice;
    };
    struct LiveAttempt {
        bool starting = false;
        // It has no process here now, but it goes on: tell the node to keep it.
        bool keep_due = false;
        // The previous agent process recorded the launch and died before it acted on it.
        bool to_start = false;
        bool exit_due = false;  // Its script has ended; the exit record may still arrive.
        bool hook_due = false;  // Its prolog or epilog has ended; the result may still arrive.
        // By this agent process, to save a checkpoint; and it has.
        bool warned = false, checkpointed = false;
        std::optional<Time> kill_at, kill_hook_at, unkillable_at;
        std::vector<NotifyRun> notices;      // Notices that arrived before the attempt started.
        std::vector<SignalAttempt> signals;  // Signals that arrived before the attempt started.
        std::map<StepId, LiveStep> steps;    // Steps that have not ended.

        // Such a step is not in its cgroup yet.
        bool any_step_starting() const {
            return std::ranges::any_of(steps, [](const auto& step) {
                return step.second.phase == LiveStep::Phase::starting;
            });
        }
    };

    LiveAttempt* find(AttemptKey key);
    LiveStep* find_step(const RunKey& run);
    void adopt_one(const RememberedAttempt& attempt, std::span<const RunKey> alive);
    void settle_one(AttemptKey key, Effects& effects);
    void settle_steps(AttemptKey key, Effects& effects);

    // Which live attempt holds resources that this launch wants, as a message. Empty: none.
    std::string conflict(const LaunchAttempt& order) const;
    void refuse(AttemptKey key, std::string why, Effects& effects);
    void attempt_started(AttemptKey key, Effects& effects);
    void start_step(AttemptKey key, const LaunchStep& order, Effects& effects);
    void start_waiting_steps(AttemptKey key, Effects& effects);
    void freeze_again(AttemptKey key, Effects& effects) const;  // freezing.cc
    bool begin_watch(AttemptKey key, Effects& effects);         // checkpoints.cc
    void tell_user(AttemptKey key, NotifyRun line, Effects& effects) const;
    void tell_of_end(AttemptKey key, EndReason reason, Effects& effects);
    void tell_of_step_end(const RunKey& run, EndReason reason, Effects& effects);
    void begin_end(AttemptKey key, Duration kill_wait, std::int32_t signal, Effects& effects);
    void begin_step_end(const RunKey& run, Duration kill_wait, Effects& effects);
    void fail(AttemptKey key, std::string why, NotBegun not_begun = NotBegun::unknown);
    void prolog_not_begun(const RunFailedToStart& event, Effects& effects);
    void finish_steps(AttemptKey key, Effects& effects);
    // Its resources are free: runs the epilog, if any.
    void finish(AttemptKey key, Effects& effects);
    void conclude(AttemptKey key, Effects& effects);  // After the epilog: reports the end.
    // ---- Prolog and epilog (hooks.cc).
    void start_hook(AttemptKey key, Hook hook, Effects& effects);
    void hook_ended(const RunKey& run, const std::string& failure, Effects& effects);
    void adopt_hook(const RememberedAttempt& attempt, std::span<const RunKey> alive);
    void finish_step(const RunKey& run, std::string_view otherwise, Effects& effects);
    void report_end(AttemptReport end, Effects& effects);
    void report_end(StepReport end, Effects& effects);

    Memory& memory_;
    AgentProtections protections_;
    bool rebooted_ = false;  // Until settle().
    std::map<AttemptKey, LiveAttempt> live_;
};

}  // namespace berth
