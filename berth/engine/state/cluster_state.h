// ClusterState: everything durable that Berth knows, and the indexes derived from it.
//
// Dense arrays indexed by small ids. Only apply() changes them, in O(change). An undo log supports
// trial changes (checkpoint, rollback). The state is never copied per cycle and never scanned per
// job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/engine/state/association_usage.h"
#include "berth/engine/state/configuration.h"
#include "berth/engine/state/job_index.h"
#include "berth/engine/state/job_records.h"
#include "berth/engine/state/job_table.h"
#include "berth/engine/state/node_table.h"
#include "berth/engine/state/past_requests.h"
#include "berth/engine/state/quota_tree.h"
#include "berth/engine/state/reservations.h"
#include "berth/engine/state/run_history.h"
#include "berth/engine/state/schedule.h"
#include "berth/engine/state/shared_parts.h"
#include "berth/engine/state/touches.h"
#include "berth/engine/state/undo.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"
#include "berth/model/reason.h"

namespace berth {

// What of a state is durable; see snapshot.h. All that it names is there, and it has no planned
// start but of pending jobs.
struct DurableState {
    ClusterSpec spec;
    Epoch epoch{0};
    JobId next_job_id{0};
    std::vector<NodeCondition> conditions;  // By NodeId.
    SharedParts parts;                      // Those of `jobs`.
    JobRecords jobs;
    JobTable<PlannedStart> planned;
    PastRequests past_requests;
    AssociationUsage usage;
    RunHistory run_history;
    Reservations reservations;
    AccountingEdits edits;
    ClusterEdits cluster_edits;
    Schedule::Holds holds;
    Schedule::Rests rests;
};

class ClusterState {
public:
    ClusterState();
    explicit ClusterState(DurableState durable);

    // ---- Reading. All lookups are O(1) or O(log n). More about one job: job_queries.h.
    const Configuration& configuration() const { return configuration_; }
    const ClusterSpec& spec() const { return configuration_.spec(); }
    const NodeTable& nodes() const { return nodes_; }
    const JobRecords& jobs() const { return jobs_; }
    // nullptr: not known (any more).
    const Job* find_job(JobId id) const { return jobs_.find(id); }
    // Jobs by something other than their id. It is kept up to date; reading it scans nothing.
    const JobIndex& index() const { return index_; }
    const Schedule& schedule() const { return schedule_; }
    const Reservations& reservations() const { return reservations_; }
    const PastRequests& past_requests() const { return past_requests_; }  // Of forgotten jobs.
    const RunHistory& run_history() const { return run_history_; }
    const AssociationUsage& usage() const { return usage_; }
    // The number of the job's record there.
    std::optional<std::size_t> usage_of(const Job& job) const;
    const QuotaTree& quota() const { return quota_; }  // Current use, and the limits on it.
    QuotaTree::News take_quota_news() { return quota_.take_news(); }
    Epoch epoch() const { return epoch_; }  // Of the last ControllerStarted; 0 before.
    // The id of the next new record.
    JobId next_job_id() const { return next_job_id_; }

    // ---- What a cycle finds about a job: see Schedule. Volatile: not journaled.
    void set_reason(JobId id, PendingReason reason, SharedText detail = {});
    void set_priority(JobId id, std::int64_t priority);

    // ---- The only way to change the state.
    void apply(Time now, const Fact& fact);

    // ---- Trial changes: rollback() undoes exactly what was applied since checkpoint().
    // Checkpoints nest.
    struct Mark {
        std::size_t at = 0;
    };
    Mark checkpoint();
    void rollback(Mark mark);
    void commit(Mark mark);  // Keeps the changes and drops their undo records.

    // ---- For readers: what changed since the last call, without duplicates, in id order.
    using Touched = Touches::Touched;
    Touched take_touched();

    // Hash of everything durable: the same after a replay and with every compiler.
    std::uint64_t hash() const;

    // Aborts if the state contradicts itself: sums, gangs, masks, a plan over capacity. Every test
    // calls it.
    void check_invariants() const;

private:
    friend class Trial;  // plan/trial.h: gives back what runs hold, for a while.

    // One overload for each kind of fact, or apply() does not compile. Defined in apply.cc,
    // apply_jobs.cc, apply_runs.cc, apply_steps.cc and apply_declared.cc.
    void take(Time now, const ControllerStarted& fact);
    void take(Time now, const SpecInstalled& fact);
    void take(Time now, const NodeRegistered& fact);
    void take(Time now, const NodeNotResponding& fact);
    void take(Time now, const NodeUpdated& fact);
    void take(Time now, const JobSubmitted& fact);
    void take(Time now, const JobUpdated& fact);
    void take(Time now, const JobHeld& fact);
    void take(Time now, const JobCancelled& fact);
    void take(Time now, const AttemptEnded& fact);
    void take(Time now, const StepCreated& fact);
    void take(Time now, const StepEnded& fact);
    void take(Time now, const StepUpdated& fact);
    void take(Time now, const StepTimedOut& fact);
    void take(Time now, const JobForgotten& fact);
    void take(Time now, const StartJob& fact);
    void take(Time now, const EndJob& fact);
    void take(Time now, const PlanJob& fact);
    void take(Time now, const DependencyFailed& fact);
    void take(Time now, const TaskSplit& fact);
    void take(Time now, const JobEligible& fact);
    void take(Time now, const UsageSet& fact);
    void take(Time now, const JobsPlanned& fact);
    void take(Time now, const JobsEligible& fact);
    void take(Time now, const DeadlineMissed& fact);
    void take(Time now, const ReservationSet& fact);
    void take(Time now, const ReservationDeleted& fact);
    void take(Time now, const AccountingEdited& fact);
    void take(Time now, const JobWarned& fact);
    void take(Time now, const NodeFenced& fact);
    void take(Time now, const DevicesDrained& fact);
    void take(Time now, const JobSuspended& fact);
    void take(Time now, const ClusterEdited& fact);
    void take(Time now, const JobNoticed& fact);
    void take(Time now, const ControllerHookEnded& fact);
    void take(Time now, const NodeDescribed& fact);
    void take(Time now, const JobsPreempted& fact);
    void take(Time now, const JobFrozen& fact);
    void take(Time now, const JobMoved& fact);
    void take(Time now, const CheckpointSeen& fact);

    // Every change goes through one of these. They record the old value for undo and update the
    // indexes.
    template <class Change>
    void change_job(JobId id, Change change);
    // The same, for fields that no index uses.
    template <class Change>
    void change_unindexed(JobId id, Change change);
    template <class Change>
    void change_condition(NodeId id, Change change);
    void insert_job(Job job);
    void erase_job(JobId id);
    void set_planned(JobId id, std::optional<PlannedStart> planned);
    void set_preemptor_hold(JobId id, std::optional<Time> until);
    void set_preemptor_rest(JobId id, std::optional<PreemptorRest> rest);
    void hold_for_preemptor(JobId id, Time until, bool suspends);
    void drop_preemptor_hold(Time now, JobId id);
    void set_counters(Epoch epoch, JobId next_job_id);
    bool describe_in_place(const NodeDescribed& fact);
    void remember_configuration();
    void install(Time now, ClusterSpec kept);
    void rebuild_quota();
    QuotaTree quota_from_scratch() const;
    QuotaTree::Index leaf_of(const Job& job);
    QuotaTree::Index leaf_by_name(const Job& job) const;
    QuotaTree::Index known_leaf(JobId id) const;  // kNone: nobody has asked for it.
    void add_to_indexes(const Job& job);
    void remove_from_indexes(const Job& job);
    void take_share(const NodeShare& share, bool in_turns);
    void share_by_turns(Time now, const NodeShare& share);
    void end_turns_on(NodeId node);
    void give_back_share(const Job& job, const NodeShare& share);
    void touch(JobId id);
    void touch(NodeId id);
    void remember_job(JobId id);
    NodeTable::Sources node_sources() const { return {spec(), jobs_, index_}; }
    JobId id_after(JobId id) const;

    // apply_usage.cc
    std::size_t usage_index(Time now, const std::string& account, const std::string& user);
    void remember_usage(std::size_t index);
    void start_using(Time now, const Job& job);
    void stop_using(Time now, const Job& job);
    Duration service_of(const Job& job, Time now) const;
    void note_run(Time now, const Job& job, JobState outcome);
    void settle_usage(Time now);
    std::vector<UsageVector> rates_from_scratch() const;
    void check_quota() const;

    // The longer parts of facts about jobs and runs.
    JobId split_task(JobId array, std::uint32_t task, JobId id);
    void cancel_tasks(Time now, const JobCancelled& fact);
    void release(Time now, const AttemptEnded& fact);
    void undo(Before before);

    Configuration configuration_;
    Epoch epoch_{0};
    JobId next_job_id_{1};
    NodeTable nodes_;
    JobRecords jobs_;
    Schedule schedule_;
    PastRequests past_requests_;
    AssociationUsage usage_;
    RunHistory run_history_;
    Reservations reservations_;

    // Derived from the above.
    JobIndex index_;
    SharedParts parts_;
    QuotaTree quota_;
    JobTable<QuotaTree::Index> leaves_;  // Where the tree counts each job, once asked for.

    // Volatile.
    Touches touches_;
    UndoLog undo_;
};

}  // namespace berth
