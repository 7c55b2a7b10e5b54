// LimitBook: how much of each limit and quota is used over time, by running jobs until their ends
// and by planned starts; and the first time at which there is enough for another job.
//
// It follows from the plan and the quota tree. A run counts for all limits of its holders, a
// planned start for those that bind it: under another QOS it may pass them, which is seen once it
// runs. Limits that bound a job by itself (per job, per node, minutes) are not in it: time does not
// change them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "berth/engine/limits/limit_check.h"
#include "berth/engine/limits/limit_terms.h"
#include "berth/engine/plan/limit_counters.h"
#include "berth/engine/plan/limit_use.h"
#include "berth/engine/plan/queue_times.h"

namespace berth {

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

    // Valid until the book is made anew. REQUIRES: the job is in the state. Empty where the
    // configuration enforces no limits.
    LimitUse use_of(const ClusterState& state, const Job& pending, const Demand& demand,
                    const LimitRequest& asked) const;
    LimitUse use_of_run(const ClusterState& state, const Job& run) const;
    // Jobs with one key use the same, which is kept until another takes its place. nullptr: it is
    // not kept.
    struct Key {
        std::uint64_t kind = 0;  // Its number, which is not 0.
        std::uint32_t leaf = 0;
        QosId qos{0};
        friend bool operator==(const Key&, const Key&) = default;
    };
    const LimitUse* find(const Key& key) const;
    const LimitUse& keep(const Key& key, LimitUse use) const;

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
    LimitUse numbered(const std::vector<LimitTerm>& terms, QueueTimes::Index account,
                      const QueueAmounts& queue) const;
    LimitUse shared(LimitUse use) const;
    void change(Time start, Time end, const LimitUse& use, std::int64_t times);

    // What is left of each limit that a job was ever counted in.
    mutable LimitCounters counters_;
    // Tables of a fixed size, by hash: what comes later takes the place of what was there. A key
    // that is not found costs time, an equal use that is not found memory.
    struct Known {
        Key key;  // Of kind 0: none.
        LimitUse use;
    };
    mutable std::vector<Known> known_;
    mutable std::vector<LimitUse> uses_;                    // For equal ones to be one object.
    mutable std::vector<LimitUse::Part> counted_, queued_;  // Members only to keep their memory.
    mutable Moves moves_;
    QueueTimes queues_;
};

}  // namespace berth
