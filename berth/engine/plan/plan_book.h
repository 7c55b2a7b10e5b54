// PlanBook: what each running job holds and until when, and what each planned start takes and from
// when on. It keeps one planned reservation per job, from these the timeline of each node, and from
// the timelines the free-slot index. Everything follows from the state, fact by fact.
//
// PlanBook also tracks on which nodes resources were recently released ("fresh" nodes). A job that
// found no start before, or none earlier than its planned start, can only find one there.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "berth/engine/limits/limit_change.h"
#include "berth/engine/plan/free_groups.h"
#include "berth/engine/plan/free_slot_index.h"
#include "berth/engine/plan/lending.h"
#include "berth/engine/plan/license_book.h"
#include "berth/engine/plan/limit_book.h"
#include "berth/engine/plan/reservation_book.h"
#include "berth/engine/plan/timeline.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/engine/state/job_table.h"

namespace berth {

// A GPU of which a running job holds a part. As long as any job holds a part, the GPU is booked
// whole.
struct PartOf {
    NodeId node{0};
    std::uint32_t device = 0;
    DimensionId type{0};
    friend bool operator==(const PartOf&, const PartOf&) = default;
};

struct PlannedReservation {
    Time start{}, end{};
    PlannedAmounts amounts;
    LimitUse limits;
    // What few have. Held once, as there is one of these for each planned job.
    struct Rarely {
        Shared<std::vector<LicenseCount>> licenses;
        SharedText reservation;  // The Slurm reservation whose nodes it uses; empty: it uses none.
        // By place in `amounts`: CPU that is booked for runs which lend it; see lending.h. Empty:
        // none.
        Shared<std::vector<Millicpu>> lent;
        friend bool operator==(const Rarely&, const Rarely&) = default;
    };
    Shared<Rarely> rarely;
    // Set if the job is running; unset for a planned start.
    struct Run {
        Time due{};  // End of its time limit. `end` is later if the job overran.
        std::vector<PartOf> parts;
        // When it is ended, if that is not when it is due: it may stand still meanwhile, or change
        // its turn with others. kNever: at no other time.
        Time limit = kNever;
        friend bool operator==(const Run&, const Run&) = default;
    };
    Rare<Run> run;

    bool running() const { return run.has_value(); }
    bool lends() const { return !rarely->lent->empty(); }
    void set_lent(Shared<std::vector<Millicpu>> lent) {
        if (rarely->lent != lent) rarely.edit().lent = std::move(lent);
    }
    Time due() const { return run ? run->due : Time{}; }
    // What is booked for it on each of its nodes, in order.
    Resources booked(std::size_t place) const {
        Resources amount = amounts.amount(place);
        if (lends()) amount.set_cpu(amount.cpu() - rarely->lent[place]);
        return amount;
    }
    template <class Visit>
    void each_booked(Visit visit) const {
        const auto nodes = amounts.nodes();
        for (std::size_t i = 0; i < nodes.size(); ++i) visit(nodes[i], booked(i));
    }
    friend bool operator==(const PlannedReservation&, const PlannedReservation&) = default;
};

struct EndsOfRuns {
    std::set<std::pair<Time, JobId>> expected;  // kNever: it has no end.
    // When runs are to be ended that the plan has for another time: those with Run::limit.
    std::set<std::pair<Time, JobId>> limits;

    std::vector<JobId> over_limit(Time now) const;
    std::optional<Time> next_limit(Time now) const;
};

// Counts releases: a later release has a higher number.
using ReleaseNumber = std::uint64_t;

class PlanBook {
public:
    // Builds everything from the state.
    void rebuild(const ClusterState& state);
    // Updates the job's planned reservation, and those of runs and planned starts that share cores
    // with it. Call it after each fact about the job.
    void refresh(const ClusterState& state, Time now, JobId job);
    // Call it after the drained devices of this node, or the jobs that hold them, have changed.
    void settle_drained(const ClusterState& state, NodeId node);
    // Books the use of limits anew where it may have changed. Call it after limits have changed.
    void recount_limits(const ClusterState& state, const LimitChange& change);
    // Groups the nodes into classes anew, after they changed partitions, features or weights.
    void regroup(const ClusterSpec& spec);
    // Marks the node as fresh. Call it when the node can take work again or became larger.
    void note_release(NodeId node);

    const Timeline& timeline(NodeId node) const { return timelines_[node.index()]; }
    // The node's timeline for jobs of this Slurm reservation; an empty name means none.
    const Timeline& timeline(NodeId node, const std::string& reservation) const;
    const LicenseBook& licenses() const { return licenses_; }
    const LimitBook& limits() const { return limits_; }
    const ReservationBook& reservations() const { return reservations_; }
    bool is_used(std::string_view reservation) const;  // By a running job.
    const PlannedReservation* find(JobId job) const;   // Of a running job or a planned start.
    const PlannedReservation* planned_start(JobId job) const;  // Only of a planned start.
    const JobTable<PlannedReservation>& planned_starts() const { return planned_starts_; }
    // Changes whenever a planned start is added or removed.
    std::uint64_t plan_version() const { return plan_version_; }
    std::span<const JobId> planned_on(NodeId node) const { return planned_on_[node.index()]; }
    // The starts of planned_on(), in the same order.
    std::span<const Time> starts_on(NodeId node) const { return starts_on_[node.index()]; }

    // The nodes that planned starts use.
    const std::set<NodeId>& planned_nodes() const { return planned_nodes_; }
    // What running jobs leave free now, nodes grouped by that. On nodes without planned starts this
    // holds for a run of any length. nullptr if Slurm reservations or shared GPUs exist, which also
    // take from nodes.
    const FreeGroups* free_groups() const {
        return reservations_.empty() && shared_.empty() ? &free_groups_ : nullptr;
    }

    // Extends jobs that still run at their expected end: by `longer` after the limit, doubled until
    // that is in the future. Returns these jobs.
    std::vector<JobId> extend_overdue(Time now, Duration longer);
    const EndsOfRuns& ends() const { return ends_; }
    // Jobs whose planned start is due by `now` and that still wait; and the next planned start
    // after `now`.
    std::vector<JobId> overdue_planned_starts(Time now);
    std::optional<Time> next_start(Time now);

    // Removes a planned start, and adds one. Putting the same one back releases nothing; otherwise
    // call note_releases() for the one removed.
    PlannedReservation lift(JobId job);
    void put(JobId job, PlannedReservation planned_reservation);
    // Except for what `taken_over_by` now uses.
    struct TakenOver {
        JobId by{0};
        Time now{};
    };
    void note_releases(const PlannedReservation& planned_reservation,
                       std::optional<TakenOver> taken_over = {});
    // Jobs whose planned start was added, removed or moved since the last call, without duplicates,
    // in id order.
    std::vector<JobId> take_changed();

    // The time until which a GPU is shared; nullopt: it is not shared now.
    std::optional<Time> shared_until(NodeId node, std::uint32_t device) const;

    // Whether everything it takes is free from `from` on.
    bool has_room_for(const PlannedReservation& planned_reservation, Time from) const;
    // Whether anything it takes is overbooked at any time from `from` on.
    bool collides(const PlannedReservation& planned_reservation, Time from) const;

    // ---- Free slots.
    const NodeClasses& classes() const { return classes_; }
    const FreeSlotLevels& levels() const { return levels_; }
    const FreeSlotIndex& free_slots() const { return free_slots_; }
    // The level for what a demand takes of one node of this class; added if necessary.
    std::size_t level_for(std::size_t node_class, const Resources& take);
    // Changes whenever the classes are made anew.
    std::uint64_t generation() const { return generation_; }

    // ---- Fresh nodes.
    ReleaseNumber last_release() const { return last_release_; }
    std::uint64_t fresh_version() const { return fresh_version_; }
    bool all_fresh() const { return all_fresh_; }
    bool any_fresh() const { return all_fresh_ || !fresh_nodes_.empty(); }
    const std::vector<NodeId>& fresh_nodes() const { return fresh_nodes_; }
    const FreeSlotIndex& fresh_free_slots() const { return all_fresh_ ? free_slots_ : fresh_; }
    // All jobs have considered the releases up to this one: forgets them.
    void forget_fresh(ReleaseNumber seen);
    // Jobs with a planned start on a node that had a release since the last call.
    std::vector<JobId> take_disturbed() { return std::exchange(disturbed_, {}); }

    // Set when the end of a running job moved later or a node became smaller, so planned starts may
    // collide.
    bool take_collision() { return std::exchange(collision_, false); }

private:
    friend class Trial;  // Changes the plan for a while.

    std::optional<PlannedReservation> planned_reservation_of(const ClusterState& state,
                                                             const Job& job, RunEnds& ends) const;
    LimitUse limits_of_pending(const ClusterState& state, const Job& job) const;
    void refresh_own(const ClusterState& state, Time now, JobId job, RunEnds& ends);
    void list_ends(JobId job, const PlannedReservation& run, bool is_there);
    // ---- Lent cores (plan_lent.cc).
    void refresh_lent(const ClusterState& state, Time now, const Job& job, bool borrowed,
                      RunEnds& ends);
    std::vector<JobId> refresh_sharers(const ClusterState& state, Time now, const Job& job,
                                       bool borrowed, RunEnds& ends);
    bool concerns_lent(const ClusterState& state, NodeId node) const;
    void count_lent(const PlannedReservation& planned_reservation, bool more);
    void change_timelines(const PlannedReservation& planned_reservation, bool more);
    void change_on(NodeId node, const SharedText& reservation, Span span, const Resources& amount,
                   bool more);
    void change(NodeId node, Time start, Time end, const Resources& amount, bool more);
    void replace_free_slots(std::size_t node_class, NodeId node);  // Reads free_slot_change_.
    void forget_before(NodeId node, Time now);
    // Books the shared GPU anew after it got a user or lost one.
    void change_shared(const PartOf& part, JobId job, Time start, std::optional<Time> end);
    void enter(JobId job, PlannedReservation planned_reservation);
    void enter_planned(JobId job, PlannedReservation planned_reservation);
    void remember_start(Time start, JobId job);
    void remove(JobId job);
    void fill_fresh(NodeId node);

    std::vector<Timeline> timelines_;  // By NodeId.
    LicenseBook licenses_;
    LimitBook limits_;
    ReservationBook reservations_;
    // Timelines for jobs of Slurm reservations, computed on demand.
    mutable std::map<std::pair<NodeId, std::string>, Timeline> reserved_;
    NodeClasses classes_;
    FreeSlotLevels levels_;
    FreeSlotIndex free_slots_, fresh_;
    std::uint64_t generation_ = 0, plan_version_ = 0;

    // By NodeId: the last release there, if the node is fresh; else 0.
    std::vector<ReleaseNumber> released_;
    std::vector<NodeId> fresh_nodes_;
    bool all_fresh_ = true;
    ReleaseNumber last_release_ = 0;
    std::uint64_t fresh_version_ = 0;
    std::vector<JobId> disturbed_;

    JobTable<PlannedReservation> running_, planned_starts_;
    std::vector<std::vector<JobId>> planned_on_;  // By NodeId.
    std::vector<std::vector<Time>> starts_on_;
    std::set<NodeId> planned_nodes_;
    FreeGroups free_groups_;
    EndsOfRuns ends_;
    // Planned starts: a heap, with some outdated entries.
    std::vector<std::pair<Time, JobId>> starts_;
    std::vector<JobId> changed_;
    struct Shared {
        Time from{}, until{};
        std::map<JobId, Time> ends;  // By the job that uses a part.
    };
    using DeviceKey = std::pair<NodeId, std::uint32_t>;
    std::map<DeviceKey, Shared> shared_;
    // Drained devices, and since when each is booked.
    std::map<DeviceKey, Time> drained_;
    bool collision_ = false;
    std::size_t lent_ = 0;              // Planned reservations that use what is lent, …
    std::vector<std::size_t> lent_on_;  // … and those that do and lie on this node. By NodeId.
    FreeSlotChange free_slot_change_;   // A member only to keep its memory.
};

// The next expected end of a running job. nullopt: there is none.
std::optional<Time> next_end(const PlanBook& book);

}  // namespace berth
