// PlanBook: who has what, until when, and who is promised what, from when: a booking for each job,
// from them the timeline of each node, and from these the index of free holes. It follows from the
// state, fact by fact.
//
// It also knows on which nodes something was given back of late ("fresh"). Who found no room
// before, or nothing better than what was promised, can only find it there.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "berth/engine/plan/free_groups.h"
#include "berth/engine/plan/free_slot_index.h"
#include "berth/engine/plan/license_book.h"
#include "berth/engine/plan/reservation_book.h"
#include "berth/engine/plan/timeline.h"
#include "berth/engine/state/cluster_state.h"
#include "berth/engine/state/job_table.h"

namespace berth {

// A GPU of which a running job has a part. As long as anyone has, it is booked whole.
struct PartOf {
    NodeId node{0};
    std::uint32_t device = 0;
    DimensionId type{0};
    friend bool operator==(const PartOf&, const PartOf&) = default;
};

struct PlannedReservation {
    Time start{}, end{};
    PlannedAmounts amounts;
    Shared<std::vector<LicenseCount>> licenses;
    SharedText reservation;  // Whose part of the nodes it takes; empty: what is open to all.
    // Of a job that runs and holds them; none: it is promised them.
    struct Run {
        Time due{};  // When its limit ends; the booking ends later if it overran.
        std::vector<PartOf> parts;
        friend bool operator==(const Run&, const Run&) = default;
    };
    Rare<Run> run;

    bool running() const { return run.has_value(); }
    Time due() const { return run ? run->due : Time{}; }
    friend bool operator==(const PlannedReservation&, const PlannedReservation&) = default;
};

// Counts releases: a later one has a higher number.
using ReleaseNumber = std::uint64_t;

class PlanBook {
public:
    // From scratch.
    void rebuild(const ClusterState& state);
    // After a fact about this job.
    void refresh(const ClusterState& state, Time now, JobId job);
    // After the devices of this node that are drained, or who holds them, have changed.
    void settle_drained(const ClusterState& state, NodeId node);
    // A node takes work again, or has become larger.
    void note_release(NodeId node);

    const Timeline& timeline(NodeId node) const { return timelines_[node.index()]; }
    // The same for a job of this reservation; the empty name means none.
    const Timeline& timeline(NodeId node, const std::string& reservation) const;
    const LicenseBook& licenses() const { return licenses_; }
    const ReservationBook& reservations() const { return reservations_; }
    bool is_used(std::string_view reservation) const;          // By a job that runs.
    const PlannedReservation* find(JobId job) const;           // Running or promised.
    const PlannedReservation* planned_start(JobId job) const;  // Promised only.
    const JobTable<PlannedReservation>& planned_starts() const { return planned_starts_; }
    std::span<const JobId> planned_on(NodeId node) const { return planned_on_[node.index()]; }
    // When these begin, in the same order.
    std::span<const Time> starts_on(NodeId node) const { return starts_on_[node.index()]; }

    // The nodes on which somebody is promised something.
    const std::set<NodeId>& planned_nodes() const { return planned_nodes_; }
    // What runs leave free now, alike nodes together. Exact for a run of any length on nodes where
    // nobody is promised anything; nullptr: reservations or parts of GPUs take from them, too.
    const FreeGroups* free_groups() const {
        return reservations_.empty() && shared_.empty() ? &free_groups_ : nullptr;
    }

    // Who holds something past its end: they are expected to give it back only after `longer`, and
    // twice as long each time. Returns them.
    std::vector<JobId> extend_overdue(Time now, Duration longer);
    // Whether a running job has no end.
    bool has_endless() const { return !ends_.empty() && ends_.rbegin()->first == kNever; }
    // The next end of a running job.
    std::optional<Time> next_end() const;
    // Those promised a start by `now` that still wait, and the next start after it.
    std::vector<JobId> overdue_planned_starts(Time now);
    std::optional<Time> next_start(Time now);

    // Takes a promise out, and puts one in. Whoever takes one out and puts the same one back has
    // given nothing back; otherwise note_releases() of the one before.
    PlannedReservation lift(JobId job);
    void put(JobId job, PlannedReservation planned_reservation);
    void note_releases(const PlannedReservation& planned_reservation);
    // The same, but for what this job has taken over.
    void note_releases(const PlannedReservation& planned_reservation, JobId taken_over_by,
                       Time now);
    // Whose promises were put, lifted or moved since the last call, each once, in id order.
    std::vector<JobId> take_changed();

    // Until when a GPU is in use that is given out in parts; nullopt: it is not.
    std::optional<Time> shared_until(NodeId node, std::uint32_t device) const;

    // Whether all of it is free, from `from` on.
    bool has_room_for(const PlannedReservation& planned_reservation, Time from) const;
    // Whether somewhere, from `from` on, more is booked of what it has than there is.
    bool collides(const PlannedReservation& planned_reservation, Time from) const;

    // ---- FreeSlots.
    const NodeClasses& classes() const { return classes_; }
    const FreeSlotLevels& levels() const { return levels_; }
    const FreeSlotIndex& free_slots() const { return free_slots_; }
    // The level for what a demand takes of one node of this class, made if need be.
    std::size_t level_for(std::size_t node_class, const Resources& take);
    std::uint64_t generation() const { return generation_; }  // Classes are new with each.

    // ---- What is fresh.
    ReleaseNumber last_release() const { return last_release_; }
    std::uint64_t fresh_version() const { return fresh_version_; }
    bool all_fresh() const { return all_fresh_; }
    bool any_fresh() const { return all_fresh_ || !fresh_nodes_.empty(); }
    const std::vector<NodeId>& fresh_nodes() const { return fresh_nodes_; }
    const FreeSlotIndex& fresh_free_slots() const { return fresh_; }
    // What was given back up to this release has been seen by all.
    void forget_fresh(ReleaseNumber seen);
    // Jobs with a promise on a node that became fresh since the last call.
    std::vector<JobId> take_disturbed() { return std::exchange(disturbed_, {}); }

    // Set when a running job's end moved later, or a node became smaller: promises may collide.
    bool collision() const { return collision_; }
    bool take_collision() { return std::exchange(collision_, false); }

private:
    std::optional<PlannedReservation> planned_reservation_of(const ClusterState& state,
                                                             const Job& job) const;
    void change_timelines(const PlannedReservation& planned_reservation, bool more);
    void change(NodeId node, Time start, Time end, const Resources& amount, bool more);
    void replace_free_slots(std::size_t node_class, NodeId node);  // By free_slot_change_.
    void forget_before(NodeId node, Time now);
    // Books the shared GPU anew, after it has got another user or has lost one.
    void change_shared(const PartOf& part, JobId job, Time start, std::optional<Time> end);
    void enter(JobId job, PlannedReservation planned_reservation);
    void remove(JobId job);
    void fill_fresh(NodeId node);

    std::vector<Timeline> timelines_;  // By NodeId.
    LicenseBook licenses_;
    ReservationBook reservations_;
    // What jobs of reservations may have, worked out where it was asked for.
    mutable std::map<std::pair<NodeId, std::string>, Timeline> reserved_;
    NodeClasses classes_;
    FreeSlotLevels levels_;
    FreeSlotIndex free_slots_, fresh_;
    std::uint64_t generation_ = 0;

    std::vector<ReleaseNumber> released_;  // By NodeId: the last one there, if it is fresh.
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
    std::set<std::pair<Time, JobId>> ends_;       // Of running ones.
    std::vector<std::pair<Time, JobId>> starts_;  // Of promises: a heap, with some outdated.
    std::vector<JobId> changed_;
    struct Shared {
        Time from{}, until{};
        std::map<JobId, Time> ends;  // By user.
    };
    std::map<std::pair<NodeId, std::uint32_t>, Shared> shared_;
    std::map<std::pair<NodeId, std::uint32_t>, Time> drained_;  // Devices, and booked since when.
    bool collision_ = false;
    FreeSlotChange free_slot_change_;  // Kept for its memory.
};

// When the run's time is up, and when it will be ended for that: later by OverTimeLimit.
Time limit_end(const SchedulingSpec& scheduling, const Job& job);

}  // namespace berth
