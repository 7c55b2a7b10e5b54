// SimMachine: the physical truth of one node: cgroups, processes, exit records, disk. It knows
// nothing of the protocol; the oracle trusts what it contains.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/agent/memory.h"
#include "berth/sim/script.h"
#include "berth/sim/stage.h"

namespace berth::sim {

// The processes of one run: the main process and those that it has left behind.
struct Processes {
    ScriptPlan plan;
    bool starting = false;
    bool main = false;
    bool others = false;
    bool tell_empty = false;  // RunEmpty is to be sent when none is left.
    bool has_term = false;    // SIGTERM that it will hear when it goes on.
    std::uint64_t serial = 0;
    Time ends_at{};  // If nothing stops it.
    // Identifies the timer in force: a stop and a restart of the processes set another one.
    std::uint64_t clock = 0;
    bool any() const { return main || others; }
};

// The cgroup of one attempt, while it exists.
struct SimCgroup {
    LaunchAttempt launch;
    bool starting = false;  // Being created.
    bool tell_empty = false;
    bool frozen = false;
    bool watched = false,
         checkpointed = false;  // For the checkpoint of its script; and it has one.
    bool killed = false;        // All of it: it runs no more of its own code, frozen or not.
    std::uint64_t freezer_orders = 0;
    // Removal was ordered while it was not empty: it goes with its last process.
    bool removed = false;
    std::map<StepId, Processes> runs;
    bool any() const {
        for (const auto& [id, run] : runs) {
            if (run.any()) return true;
        }
        return false;
    }
};

// Observes what really happens.
class Witness {
public:
    virtual ~Witness() = default;
    // The cgroups exist from now on; on the batch host the script runs.
    virtual void attempt_started(NodeId node, const LaunchAttempt& launch) = 0;
    virtual void script_started(const LaunchAttempt& launch, const ScriptPlan& plan) = 0;
    virtual void script_ended(NodeId node) = 0;
    // A frozen attempt goes on.
    virtual void attempt_thawed(NodeId node, const LaunchAttempt& launch) = 0;
};

class SimMachine {
public:
    SimMachine(Stage& stage, Witness& witness, NodeId id, NodeSpec spec, Rng rng);

    void act(const HostAction& action);
    // From now on it takes time until a run is frozen, and what is frozen hears no SIGTERM.
    void freeze_slowly() { freezes_slowly_ = true; }
    // Events go to the agent, if there is one.
    void listen(std::function<void(const AgentEvent&)> listener) {
        listener_ = std::move(listener);
    }
    // Answers to actions that take no time, since the last call.
    std::vector<AgentEvent> take_answers() { return std::exchange(answers_, {}); }
    // What an agent finds when it starts.
    std::vector<RunKey> alive() const;
    std::vector<AgentEvent> exit_records() const;
    bool has_checkpoint(AttemptKey key) const;

    // Whatever the launcher was starting never exists; whether it may have begun is remembered or
    // not.
    void lose_launcher();
    // The processes of one run end and leave no exit record. Returns false if nothing runs.
    bool lose_shepherd();
    bool lost_shepherd_of(AttemptKey key) const { return without_shepherd_.contains(key); }

    void power_off();
    void boot(bool wiped);
    bool is_on() const { return on_; }

    NodeId id() const { return id_; }
    const NodeSpec& spec() const { return spec_; }
    std::string boot_id() const;
    Time booted_at() const { return booted_at_; }
    const std::map<AttemptKey, SimCgroup>& cgroups() const { return cgroups_; }
    Time unkillable_until() const { return unkillable_until_; }

    std::map<std::string, std::string> disk;

private:
    void start_attempt(const StartAttempt& action);
    void stand(AttemptKey key);
    void start_step(const StartStep& action);
    void start_hook(const StartHook& action);
    void end_hook(const RunKey& run, std::uint64_t serial, ExitStatus exit);
    void begin(const RunKey& run, const ScriptPlan& plan);
    void freeze(const FreezeRun& action);
    void set_frozen(const FreezeRun& action);
    void watch_checkpoint(const WatchCheckpoint& action);
    void run_until_end(const RunKey& run, Processes& processes, Duration length);
    void signal(const SignalRun& action);
    bool hears_nothing(const RunKey& run) const;  // But SIGKILL: it is frozen.
    // What is to save a checkpoint, and can: its end comes with a signal to the whole attempt.
    bool is_warning(const RunKey& run, const SignalRun& action) const;
    void signal_one(const RunKey& run, const SignalRun& action);
    void remove(AttemptKey key);
    void end_main(const RunKey& run, std::uint64_t serial, ExitStatus exit, bool out_of_memory);
    void end_others(const RunKey& run, std::uint64_t serial);
    void tell_if_empty(AttemptKey key);
    void tell(const AgentEvent& event);
    // Calls `what` later, unless the machine has gone down meanwhile.
    void later(Duration wait, std::function<void()> what);
    Processes* find(const RunKey& run);
    Duration some(std::int64_t least_ms, std::int64_t most_ms) {
        return Duration(rng_.between(least_ms, most_ms));
    }

    Stage& stage_;
    Witness& witness_;
    NodeId id_;
    NodeSpec spec_;
    Rng rng_;
    std::function<void(const AgentEvent&)> listener_;
    bool on_ = true, freezes_slowly_ = false;
    std::uint64_t boots_ = 1;
    Time booted_at_;
    std::uint64_t next_serial_ = 1;
    Time unkillable_until_{}, last_told_{};
    std::map<AttemptKey, SimCgroup> cgroups_;
    // Running prologs and epilogs, with their serial numbers.
    std::map<RunKey, std::uint64_t> hooks_;
    std::map<RunKey, RunExited> exits_;  // Left by shepherds.
    std::set<AttemptKey> half_begun_;    // By a launcher that has died since.
    std::set<AttemptKey> without_shepherd_;
    std::vector<AgentEvent> answers_;
};

std::string to_text(AttemptKey key);
std::string to_text(const RunKey& run);

}  // namespace berth::sim
