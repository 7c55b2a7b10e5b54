// DerivedState: everything that the engine derives from the state and updates fact by fact: policy,
// planned reservations, pending jobs in order. None of it is saved; rebuild() makes it again.
#pragma once

#include <map>
#include <set>

#include "berth/engine/derived/budgets.h"
#include "berth/engine/derived/fair_shares.h"
#include "berth/engine/derived/head_holds.h"
#include "berth/engine/derived/move_limit.h"
#include "berth/engine/derived/next_cycle.h"
#include "berth/engine/derived/order.h"
#include "berth/engine/derived/preemptions.h"
#include "berth/engine/derived/repricing.h"
#include "berth/engine/derived/unwritten_reasons.h"
#include "berth/engine/derived/work_counts.h"
#include "berth/engine/placement/placement.h"
#include "berth/engine/plan/plan_book.h"
#include "berth/engine/state/accounting_change.h"
#include "berth/engine/state/cluster_change.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

struct DerivedState {
    // Number of jobs at the head of the order to try before those that could start at once.
    static constexpr std::uint32_t kHead = 64;
    // In a queue of at most this length, what a job releases when it moves is offered to the jobs
    // before it first; in a longer queue, in the next round.
    static constexpr std::uint32_t kStrict = 256;
    // One pass over all jobs in order. It may take several cycles.
    struct Round {
        bool under_way = false;
        std::optional<OrderKey> after;  // The last job that was visited.
        ReleaseNumber begun_at = 0;
    };

    // ---- What follows from the configuration alone.
    Policy policy;
    Topologies topologies;
    Domains domains;

    // ---- What follows from the state.
    PlanBook book;
    PendingJobs pending;
    BitSet usable;  // Nodes that may take work.
    FairShares fair_shares;
    Preemptions preemptions;

    // ---- What the last cycles leave to the next.
    NextCycle next_cycle;
    HeadHolds holds;
    Round round;
    MoveLimit moves;
    Repricing repricing;
    UnwrittenReasons unwritten;
    bool planned_starts_at_risk = false;  // A node went, or a job was moved ahead by hand.

    void rebuild(const ClusterState& state);
    // Call it after the fact was applied to the state.
    void note(const ClusterState& state, Time now, const Fact& fact);
    // Likewise after edits of accounts, users and QOS.
    void note_accounting(const ClusterState& state, const AccountingChange& change,
                         const LimitChange& limits);
    // Likewise after edits of partitions and nodes.
    void note_edits(const ClusterState& state, Time now, const ClusterChange& change);
    // Likewise of jobs whose planned starts were dropped with it.
    void note_other_order(const ClusterState& state, Time now, std::span<const JobId> jobs);

    // ---- What rules see beyond the state; see EngineView.
    void note_readings(NodeId node, NodeReadings readings);
    const NodeReadings* readings(NodeId node) const;  // nullptr: the node never sent any.
    void refresh_services(const ClusterState& state);
    std::span<const Duration> services() const { return services_; }
    const ClusterTotals& totals() const { return totals_; }
    const TresCounts& total(PartitionId partition) const {
        return partition_totals_[partition.index()];
    }
    const WorkCounts& work() const { return work_; }
    Budgets& budgets() { return budgets_; }
    const Budgets& budgets() const { return budgets_; }

    std::size_t running_tasks(const Job& job) const;  // Of the job's array.
    // Marks the pending jobs that had something released on a node of their planned start.
    void mark_disturbed();

private:
    void note_job(const ClusterState& state, Time now, JobId job);
    void note_changed(const ClusterState& state, Time now, JobId job);
    void note_submitted(const ClusterState& state, Time now, JobId job);
    void note_node(const ClusterState& state, NodeId node);
    void note_order(const JobUpdated& fact);
    void note_node_edits(const ClusterState& state);
    void note_devices(const ClusterState& state, const DevicesDrained& fact);
    void note_reservations(const ClusterState& state);
    void note_task_run(const Job& job);
    void note_start(JobId job);
    void note_hook_end(const ClusterState& state, Time now, JobId id);
    void note_frozen(const ClusterState& state, JobId job);

    ClusterTotals totals_;
    std::vector<TresCounts> partition_totals_;
    WorkCounts work_;
    Budgets budgets_;
    // By NodeId, as far as received. An entry without GPUs: the node never sent any.
    std::vector<NodeReadings> readings_;
    std::vector<Duration> services_;  // Service that ended jobs had attained; for OrderRule.
    std::map<JobId, std::set<JobId>> task_runs_;  // By array: its tasks that hold resources.
};

JobSize size_of(const Demand& demand);
// What the demand asks for, as far as that is known before it is placed.
TresCounts tres_of(const Demand& demand);

// The start of the priority period that contains `now`. Priorities are computed for it, so they and
// all that read them stay the same within a period.
Time priority_time(const ClusterSpec& spec, Time now);

// The engine's state as policy rules see it.
class EngineView : public View {
public:
    EngineView(const ClusterState& state, const DerivedState& derived, Time now)
        : state_(state), derived_(derived), now_(priority_time(state.spec(), now)), moment_(now) {}

    Time now() const override { return now_; }
    Time moment() const override { return moment_; }
    const ClusterSpec& spec() const override { return state_.spec(); }
    const ClusterTotals& totals() const override { return derived_.totals(); }
    const TresCounts& total(PartitionId partition) const override {
        return derived_.total(partition);
    }
    const Resources& free(NodeId node) const override { return state_.nodes().free(node).amount; }
    const Job* find_job(JobId job) const override { return state_.find_job(job); }
    JobSize size(const Job& job) const override;
    TresCounts tres(const Job& job) const override;
    std::vector<const Job*> running() const override;
    std::span<const Duration> services() const override { return derived_.services(); }
    AssociationStanding association(const Job& job) const override;
    Factor account_usage(const std::string& account) const override;
    std::vector<GpuLeft> gpus(NodeId node) const override;
    std::span<const WorkShape> usual_work() const override { return derived_.work().usual(); }
    std::uint64_t gpu_counts_on(NodeId node) const override;
    const NodeReadings* readings(NodeId node) const override { return derived_.readings(node); }

private:
    const ClusterState& state_;
    const DerivedState& derived_;
    Time now_, moment_;
};

}  // namespace berth
