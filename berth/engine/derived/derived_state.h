// DerivedState: everything that the engine derives from the state and updates fact by fact: policy,
// planned reservations, pending jobs in order. None of it is saved; rebuild() makes it again.
#pragma once

#include <map>
#include <set>

#include "berth/engine/derived/fair_shares.h"
#include "berth/engine/derived/head_holds.h"
#include "berth/engine/derived/injected_fault.h"
#include "berth/engine/derived/order.h"
#include "berth/engine/derived/work_counts.h"
#include "berth/engine/placement/placement.h"
#include "berth/engine/plan/plan_book.h"
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

    Policy policy;
    ClusterTotals totals;
    std::vector<TresCounts> partition_totals;
    Topologies topologies;
    Domains domains;
    PlanBook book;
    PendingJobs pending;
    WorkCounts work;
    BitSet usable;  // Nodes that may take work.
    // By NodeId, as far as received. An entry without GPUs: the node never sent any.
    std::vector<NodeReadings> readings;
    HeadHolds holds;
    FairShares fair_shares;
    std::vector<Duration> services;  // Service that ended jobs had attained; for OrderRule.

    void refresh_services(const ClusterState& state);
    std::map<JobId, std::set<JobId>> task_runs;  // By array: its tasks that hold resources.
    bool changed = true;                         // Since the last complete cycle.
    std::optional<Time> wake_at;                 // As the last complete cycle returned it.
    // The submission since then, where submissions alone do not set `changed`.
    std::optional<Time> submitted_at;
    std::optional<Time> paused_until;  // Nothing is placed before this time.
    Round round;
    InjectedFault injected = InjectedFault::none;
    // Nodes came or went, so the blocking reason of any job may change.
    bool feasibility_changed = false;
    bool planned_starts_at_risk = false;  // A node went, or a job was moved ahead by hand.
    std::optional<Time> priorities_of;    // The minute for which priorities were computed.
    // The computation for that minute while it is under way: some jobs in each cycle. Jobs keep
    // their old priority until all new ones are known.
    struct Repricing {
        JobId next{0};
        std::vector<std::pair<JobId, std::int64_t>> moved;
        std::vector<std::vector<JobOrder::Entry>> runs;  // The new order, in sorted runs.
    };
    std::optional<Repricing> repricing;

    std::uint32_t moves_max = 0;  // See Engine::limit_moves().
    // Where moves are limited: those left at this moment, and what had been seen when the last
    // search for immediate starts was made.
    struct Moves {
        Time at = Time::min();
        std::uint32_t left = 0;
        Time started_at = Time::min();
        ReleaseNumber started_after = 0;
    };
    Moves moves;
    // Jobs that are in the order and perhaps not tried yet.
    std::vector<JobId> unlooked;
    bool any_takes_less = false;  // Some job, at some time, had --time-min.

    // Pending jobs whose published reason is out of date, whether that may be so of all, and the
    // first job of each partition as last written.
    std::vector<JobId> unwritten;
    std::vector<JobId> unwritten_later;  // Too many for one cycle: each cycle writes some.
    bool all_unwritten = true;
    std::vector<std::optional<JobId>> first_written;

    void rebuild(const ClusterState& state);
    // Call it after the fact was applied to the state.
    void note(const ClusterState& state, Time now, const Fact& fact);

    std::size_t running_tasks(const Job& job) const;

private:
    void note_job(const ClusterState& state, Time now, JobId job);
    void note_node(const ClusterState& state, NodeId node);
    void note_order(const JobUpdated& fact);
    void note_devices(const ClusterState& state, const DevicesDrained& fact);
    void note_reservations(const ClusterState& state);
    void note_task_run(const Job& job);
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
    const ClusterTotals& totals() const override { return derived_.totals; }
    const TresCounts& total(PartitionId partition) const override {
        return derived_.partition_totals[partition.index()];
    }
    const Resources& free(NodeId node) const override { return state_.free(node).amount; }
    const Job* find_job(JobId job) const override { return state_.find_job(job); }
    JobSize size(const Job& job) const override;
    TresCounts tres(const Job& job) const override;
    std::vector<const Job*> running() const override;
    std::span<const Duration> services() const override;
    AssociationStanding association(const Job& job) const override;
    std::vector<GpuLeft> gpus(NodeId node) const override;
    std::span<const WorkShape> usual_work() const override { return derived_.work.usual(); }
    std::uint64_t gpu_counts_on(NodeId node) const override;
    const NodeReadings* readings(NodeId node) const override;

private:
    const ClusterState& state_;
    const DerivedState& derived_;
    Time now_, moment_;
};

}  // namespace berth
