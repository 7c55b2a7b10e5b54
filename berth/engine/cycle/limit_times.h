// LimitTimes: at which times limits and quotas let one job run, beside the runs and planned starts
// that they count.
#pragma once

#include <optional>
#include <utility>

#include "berth/engine/derived/order.h"
#include "berth/engine/plan/found_start.h"
#include "berth/engine/plan/limit_book.h"

namespace berth {

class LimitTimes {
public:
    // A start now takes `length` of the limits, a later one `booked`.
    LimitTimes(const LimitBook& book, LimitUse use, Time now, Duration length, Duration booked)
        : book_(book), use_(std::move(use)), now_(now), length_(length), booked_(booked) {}

    // The job has a planned start then, which stays booked meanwhile.
    void beside(Time planned_start) { planned_ = planned_start; }

    // The first start in [from, latest] at which no limit is in the way. nullopt: there is none.
    std::optional<Time> first(Time from, Time latest) const;

    // The first such start that `find` agrees with. It is given the first and the last start to
    // consider, and answers with the earliest that it finds.
    template <class Find>
    std::optional<Found> search(Time from, Time latest, Find find) {
        constexpr int kTurnsMost = 64;
        for (int turn = 0; turn < kTurnsMost; ++turn) {
            const std::optional<Time> at = first(from, latest);
            bounded_ = bounded_ || !at || *at > from;
            if (!at) return std::nullopt;
            std::optional<Found> found = find(*at, latest);
            if (!found || found->start == *at || first(found->start, found->start)) return found;
            bounded_ = true;
            from = found->start;
        }
        return std::nullopt;
    }
    // Whether a limit was in the way of a search.
    bool bounded() const { return bounded_; }

private:
    const LimitBook& book_;
    LimitUse use_;
    Time now_;
    Duration length_, booked_;
    Time planned_ = kNever;
    bool bounded_ = false;
};

// Of a pending job: what it uses of limits once it runs.
LimitUse limit_use_of(const ClusterState& state, const LimitBook& book, const PendingJob& pending);
// The same, kept for all jobs of its kind, user and QOS. REQUIRES: it is one of DerivedState's.
const LimitUse& known_limit_use_of(const ClusterState& state, const LimitBook& book,
                                   const PendingJob& pending);

LimitTimes limit_times_of(const ClusterState& state, const LimitBook& book,
                          const PendingJob& pending, LimitUse use, Time now);

}  // namespace berth
