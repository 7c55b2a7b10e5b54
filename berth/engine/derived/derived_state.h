// DerivedState: all that the engine derives from the state and keeps up to date, fact by fact:
// policy, bookings, the jobs that wait. Nothing of it is saved; rebuild() makes it again.
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
    // So many jobs at the head of the order are looked at before those that could start at once.
    static constexpr std::uint32_t kHead = 64;
    // In a queue of up to so many, whatever a job gives back when it moves is offered to those
    // before it first; in a longer one, in the next round.
    static constexpr std::uint32_t kStrict = 256;
    // A look at all jobs in order, which may take several cycles.
    struct Round {
        bool under_way = false;
        std::optional<OrderKey> after;  // The last job that was looked at.
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
    BitSet usable;                       // Nodes that may take work.
    std::vector<NodeReadings> readings;  // By NodeId, as far as some came; never: no GPUs in it.
    HeadHolds holds;
    FairShares fair_shares;
    std::vector<Duration> services;  // That jobs which are over had attained; for OrderRule.

    void refresh_services(const ClusterState& state);
    std::map<JobId, std::set<JobId>> task_runs;  // By array: its tasks that hold something.
    bool changed = true;                         // Since the last complete cycle.
    std::optional<Time> wake_at;                 // As that cycle said.
    std::optional<Time> submitted_at;  // Since then, where submissions alone are not `changed`.
    std::optional<Time> paused_until;  // Nothing is placed before that.
    Round round;
    InjectedFault injected = InjectedFault::none;
    bool feasibility_changed = false;     // Nodes came or went: so may the gates of all jobs.
    bool planned_starts_at_risk = false;  // A node went, or a job was moved ahead by hand.
    std::optional<Time> priorities_of;    // The minute for which they were worked out.
    // For that minute, while it is under way: some jobs in each cycle, which keep the priority they
    // have until all are known.
    struct Repricing {
        JobId next{0};
        std::vector<std::pair<JobId, std::int64_t>> moved;
        std::vector<std::vector<JobOrder::Entry>> runs;  // What that makes of the order, in parts.
    };
    std::optional<Repricing> repricing;

    std::uint32_t moves_max = 0;  // Engine::limit_moves().
    // Where moves are limited: those left at this moment, and what was seen when whoever could
    // start at once was last looked for.
    struct Moves {
        Time at = Time::min();
        std::uint32_t left = 0;
        Time started_at = Time::min();
        ReleaseNumber started_after = 0;
    };
    Moves moves;
    // In the order, and perhaps not looked for a place yet.
    std::vector<JobId> unlooked;
    bool any_takes_less = false;  // Some job, at some time (--time-min).

    // Of what readers are told about those that wait: whose may not be written as it is, whether
    // that may be so of all, and who was the first of each partition.
    std::vector<JobId> unwritten;
    std::vector<JobId> unwritten_later;  // So many that some are written in each cycle.
    bool all_unwritten = true;
    std::vector<std::optional<JobId>> first_written;

    void rebuild(const ClusterState& state);
    // After this fact was applied.
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
TresCounts tres_of(const Demand& demand);  // What it asks for, as far as that is known before.

// Priorities are those of the period that has begun, so that they, and all who read them, rest in
// between.
Time priority_time(const ClusterSpec& spec, Time now);

// What rules see of an engine's state.
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
