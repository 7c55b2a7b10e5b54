// LimitBook: how much of each limit and quota is used over time, by running jobs until their ends
// and by planned starts; and the first time at which there is enough for another job.
//
// It follows from the plan and the quota tree. A run counts for all limits of its holders, a
// planned start for those that bind it: under another QOS it may pass them, which is seen once it
// runs. Limits that bound a job by itself (per job, per node, minutes) are not in it: time does not
// change them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/base/shared.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/limits/limit_terms.h"
#include "berth/engine/plan/count_timeline.h"
#include "berth/engine/plan/queue_times.h"

namespace berth {

// What one run or planned start uses. Valid until the book is made anew.
struct LimitUse {
    struct Term {
        std::uint32_t counter = 0;
        std::int64_t amount = 0;
        friend auto operator<=>(const Term&, const Term&) = default;
    };
    std::vector<Term> terms;
    QueueQuotas::Index account = QueueQuotas::kNone;
    QueueAmounts queue;  // Of the account and of those above it.

    bool empty() const { return terms.empty() && queue.empty(); }
    friend auto operator<=>(const LimitUse&, const LimitUse&) = default;
};

class LimitBook {
public:
    void rebuild(const QuotaTree& quota);  // Nothing is booked.
    // Limits have changed: use_of() and use_of_run() find the new ones, and give them to the
    // counters. What was booked under others stays booked.
    void forget_known();
    // What became of limits that use_of() or use_of_run() has met since the last call.
    struct Moves {
        bool up = false, down = false;
    };
    Moves take_moves() { return std::exchange(moves_, {}); }

    // REQUIRES: the job is in the state. Empty where the configuration enforces no limits.
    Shared<LimitUse> use_of(const ClusterState& state, const Job& pending, const Demand& demand,
                            const LimitRequest& asked) const;
    Shared<LimitUse> use_of_run(const ClusterState& state, const Job& run) const;
    // Jobs with one key use the same, which is kept for a while. nullptr: it is not.
    using Key = std::tuple<std::uint64_t, std::uint32_t, QosId>;  // Request, leaf, QOS.
    const Shared<LimitUse>* find(const Key& key) const;
    const Shared<LimitUse>& keep(const Key& key, Shared<LimitUse> use) const;

    // A run may be booked since ever: then its start makes no step.
    void book(Time start, Time end, const LimitUse& use) { change(start, end, use, 1); }
    void give_back(Time start, Time end, const LimitUse& use) { change(start, end, use, -1); }

    // The first start within the window at which no limit is in the way for `length`. `until`: from
    // then on the job is booked already, for at least the rest of that time.
    std::optional<Time> first_free(const LimitUse& use, Time earliest, Time latest, Duration length,
                                   Time until = kNever) const;
    // Whether some limit that counts the job is exceeded at some time in [start, end). What queues
    // have lent to each other does not count: their owners may take it back at any time.
    bool exceeds(const LimitUse& use, Time start, Time end) const;
    // Whether its queues use nothing that is lent to them in [start, end).
    bool is_by_right(const LimitUse& use, Time start, Time end) const;

private:
    Shared<LimitUse> numbered(const std::vector<LimitTerm>& terms, LimitUse use) const;
    Shared<LimitUse> shared(LimitUse use) const;
    void change(Time start, Time end, const LimitUse& use, std::int64_t times);

    // What is left of each limit that a job was ever counted in.
    mutable std::map<LimitCounter, std::uint32_t> numbers_;
    mutable std::vector<CountTimeline> counters_;
    // Of the last ones asked for.
    mutable std::map<Key, Shared<LimitUse>> known_;
    struct IsLess {
        bool operator()(const Shared<LimitUse>& a, const Shared<LimitUse>& b) const {
            return *a < *b;
        }
    };
    mutable std::set<Shared<LimitUse>, IsLess> uses_;  // Equal ones are one object.
    mutable Moves moves_;
    QueueTimes queues_;
};

}  // namespace berth
