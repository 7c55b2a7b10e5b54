// PlanBook: who has what, until when, and who is promised what, from when: a booking for each job,
// and from them the timeline of each node. It follows from the state, fact by fact.
//
// It also remembers on which nodes something was given back, and in which order that happened. Who
// found no room before, and has seen no release since, need not look again.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "berth/engine/cluster_state.h"
#include "berth/engine/timeline.h"

namespace berth {

struct Booking {
    Time start{}, end{};
    std::vector<std::pair<NodeId, Resources>> amounts;
    bool running = false;  // It holds them; false: it is promised them.
    Time due{};            // Of a running job: when its limit ends. `end` is later if it overran.
    friend bool operator==(const Booking&, const Booking&) = default;
};

// Counts releases: a later one has a higher number.
using ReleaseNumber = std::uint64_t;

// On `node` something was given back that had been booked from `from` on.
struct Release {
    NodeId node{0};
    Time from{};
};

class PlanBook {
public:
    // From scratch.
    void rebuild(const ClusterState& state);
    // After a fact about this job.
    void refresh(const ClusterState& state, Time now, JobId job);
    // A node takes work again, or has become larger.
    void note_release(NodeId node, Time from = Time::min());

    const Timeline& timeline(NodeId node) const { return timelines_[node.index()]; }
    const Booking* find(JobId job) const;     // Running or promised.
    const Booking* promise(JobId job) const;  // Promised only.
    const std::map<JobId, Booking>& promises() const { return promises_; }

    // Who holds something past its end: they are expected to give it back only after `longer`, and
    // twice as long each time. Returns them.
    std::vector<JobId> extend_overdue(Time now, Duration longer);
    // The next end of a running job.
    std::optional<Time> next_end() const;

    // Takes a promise out, and puts one in. Whoever takes one out and puts the same one back has
    // given nothing back; otherwise note_releases() of the one before.
    Booking lift(JobId job);
    void put(JobId job, Booking booking);
    // The same for a look without it: hide(), look, show(), and nothing in between.
    void hide(const Booking& promise) { each_timeline(promise, &Timeline::give_back); }
    void show(const Booking& promise) { each_timeline(promise, &Timeline::book); }
    void note_releases(const Booking& booking);
    // The same, but for what this job has taken over.
    void note_releases(const Booking& booking, JobId taken_over_by, Time now);

    // Whether all of it is free, from `from` on.
    bool has_room_for(const Booking& booking, Time from) const;

    ReleaseNumber last_release() const { return last_release_; }
    // Calls visit(release) for what was given back after release number `since`.
    template <class Visit>
    void each_release(ReleaseNumber since, Visit visit) const {
        const ReleaseNumber count = last_release_ - since;
        if (count <= latest_.size()) {
            for (std::size_t i = latest_.size() - count; i < latest_.size(); ++i) visit(latest_[i]);
            return;
        }
        for (std::size_t n = 0; n < released_.size(); ++n) {
            if (released_[n] > since) visit(Release{NodeId::from_index(n), Time::min()});
        }
    }
    // Whether, after release number `since`, something was given back that had been booked from a
    // time before `reach`.
    bool any_release_before(Time reach, ReleaseNumber since) const;
    // Set when a running job's end moved later, or a node became smaller: promises may collide.
    bool take_collision() { return std::exchange(collision_, false); }

private:
    std::optional<Booking> booking_of(const ClusterState& state, const Job& job) const;
    void each_timeline(const Booking& booking,
                       void (Timeline::*change)(Time, Time, const Resources&)) {
        for (const auto& [node, amount] : booking.amounts) {
            (timelines_[node.index()].*change)(booking.start, booking.end, amount);
        }
    }
    void enter(JobId job, Booking booking);
    void remove(JobId job);

    std::vector<Timeline> timelines_;      // By NodeId.
    std::vector<ReleaseNumber> released_;  // By NodeId: the last one there.
    ReleaseNumber last_release_ = 0;
    std::deque<Release> latest_;  // The latest ones, so that few need no search for them.
    std::map<JobId, Booking> running_, promises_;
    std::set<std::pair<Time, JobId>> ends_;  // Of running ones.
    bool collision_ = false;
};

// When the run's time is up, and when it will be ended for that: later by OverTimeLimit.
Time limit_end(const SchedulingSpec& scheduling, const Job& job);

}  // namespace berth
