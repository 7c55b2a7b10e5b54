// Oracle: checks the invariants against what physically runs and what is durably recorded. It keeps
// its own account from the journal's facts and relies on neither engine nor agents.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/sim/decision_hash.h"
#include "berth/sim/oracle_queues.h"
#include "berth/sim/sim_machine.h"

namespace berth::sim {

// A record, and the resulting state of the jobs that it concerns.
struct Recorded {
    struct After {
        JobId job{0};
        JobState state = JobState::pending;
    };
    Time now{};
    std::vector<Fact> facts;
    std::vector<After> after;
};

inline std::string words(JobId job) { return "job " + to_string(job); }

class Oracle : public Witness {
public:
    Oracle(Stage& stage, const ClusterSpec& cluster)
        : stage_(stage), cluster_(cluster), queues_(cluster) {}
    void watch(std::vector<const SimMachine*> machines) { machines_ = std::move(machines); }

    // ---- What physically happens.
    void attempt_started(NodeId node, const LaunchAttempt& launch) override;
    void script_started(const LaunchAttempt& launch, const ScriptPlan& plan) override;
    void script_ended(NodeId) override {}
    void attempt_thawed(NodeId node, const LaunchAttempt& launch) override;
    // Called from time to time: no process outlives its job, and gangs are complete. `calm_since`:
    // for each node, since when nothing has disturbed its link to the controller.
    void look_around(const std::vector<Time>& calm_since, Duration kill_wait);

    // ---- What is recorded.
    static Recorded read(const Record& record, const ClusterState& after);
    void recorded(const Recorded& record);
    void recovered(const ClusterState& state);

    // ---- What users have been told.
    void told_submitted(JobId job, const std::string& request_id);
    void told_cancelled(JobId job);

    // Call at the end: nothing may be left over.
    void finish(const ClusterState& state);
    bool all_final() const;
    const DecisionHash& decisions() const { return decisions_; }  // The durable ones.
    std::uint64_t jobs() const { return jobs_.size(); }
    std::uint64_t runs() const { return runs_; }
    std::uint64_t scripts() const { return scripts_; }
    std::uint64_t lost_runs() const { return lost_runs_; }
    std::uint64_t runs_on_parts() const { return runs_on_parts_; }
    std::uint64_t preempted() const { return preempted_; }
    std::uint64_t loans() const { return loans_; }
    std::uint64_t turns() const { return turns_; }
    std::uint64_t saved() const { return saved_; }

private:
    struct Run {
        Attempt attempt{0};
        std::set<NodeId> nodes, stood, ended;
        Allocation allocation;
        std::optional<Time> script_at, ending_at;
        bool lends = false;         // It is preempted by suspension …
        bool stands_still = false;  // … and is recorded to stand still: others may use its cores.
        bool is_suspended = false;  // For its turn, or by an operator …
        bool is_at_rest = false;    // … and nothing of it moves: others may have their turn.
        bool over() const { return nodes == ended; }
    };
    struct Known {
        JobSpec spec;
        std::string user, account;
        QosId qos{0};
        Duration time_limit{};
        Hold hold = Hold::none;
        JobState state = JobState::pending;
        std::optional<JobId> array_job;
        Run run;  // The last one.
        bool forgotten = false;
        bool cancel_told = false;
        std::optional<Attempt> preempted;  // The last run that was.
        std::optional<Time> saves_until;   // That run, unless it has saved a checkpoint before.
        std::uint64_t submitted_in = 0, forgotten_in = 0;  // The record numbers.
    };

    void take(const Fact& fact);
    void forget(JobId id);
    void unreserve(const std::string& reservation);
    void start(Time now, const StartJob& fact);
    void take_task(JobId array, JobId task);
    void preempt(const JobsPreempted& fact);
    void suspend(const JobSuspended& fact);
    void freeze(const JobFrozen& fact);
    void save(const CheckpointSeen& fact);
    void check_waited_for(JobId id, const Known& job);
    const SimMachine& batch_host_of(const Run& run) const;
    std::string not_preempted(const Known& preemptor, JobId of, const Known& victim, JobId id);
    void end(const AttemptEnded& fact);
    void check_not_spooled(AttemptKey key, const SimMachine& machine);
    void check_may_start(JobId id, const Known& job, Time now);
    bool satisfied(const Known& waiting, const Dependency& dependency) const;
    // oracle_rules.cc: the site's rules, checked at each start.
    void check_rules(Time now, JobId id, const Known& job, const StartJob& fact);
    void check_given_once(JobId id, const StartJob& fact);
    // oracle_turns.cc: runs that share cores and take turns.
    bool shares_cores(const Run& run, const Run& other) const;
    bool takes_turns(JobId id, const Run& run) const;
    void take_turn(JobId id, Run& run, bool waits);
    void check_shared(JobId id, const Known& job, const StartJob& fact);
    void check_licenses(JobId id, const Known& job, const StartJob& fact);
    void check_limits(JobId id, const Known& job);
    void check_queues(const StartJob& fact, JobId task);
    void check_group(JobId id, const std::string& holder, const Limits& limits, bool of_user,
                     const std::vector<const Known*>& members);
    void check_reservations(Time now, JobId id, const Known& job, const StartJob& fact);
    std::int64_t gpus_of(const Known& job) const;
    void check_room(NodeId node, const LaunchAttempt& launch);
    void check_outlived(const SimMachine& machine, Time calm_since, Duration kill_wait);
    void check_halved(JobId id, const Known& job, const std::vector<Time>& calm_since);
    std::vector<const Known*> with_tasks(JobId job, std::uint64_t submitted_in) const;

    Stage& stage_;
    const ClusterSpec& cluster_;
    std::vector<const SimMachine*> machines_;
    std::map<JobId, Known> jobs_;
    std::map<std::string, JobId> requests_;
    std::set<std::pair<JobId, std::string>> promised_;  // Submissions that users know of.
    std::map<JobId, Attempt> last_script_;
    std::map<std::string, Reservation> reservations_;
    OracleQueues queues_;
    std::set<NodeId> fenced_;  // In the record that is being read.
    DecisionHash decisions_;
    Epoch epoch_{0};
    std::uint64_t records_ = 0, runs_ = 0, scripts_ = 0, lost_runs_ = 0, runs_on_parts_ = 0,
                  preempted_ = 0, loans_ = 0, turns_ = 0, saved_ = 0;
    Time recorded_at_{};  // The record that is being read.
};

}  // namespace berth::sim
