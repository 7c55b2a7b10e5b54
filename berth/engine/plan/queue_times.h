// QueueTimes: what each queue uses of its quotas over time, by running jobs and planned starts, and
// when there is enough for another one. At each moment it is QueueQuotas.
//
// Each queue and TRES has a step function. A booking walks from a queue up to the root and changes,
// at each, the steps of its time: what the queue above counts of it may differ from step to step,
// since quotas within quotas are not sums. What each set of lenders leaves has one, too.
#pragma once

#include <vector>

#include "berth/engine/plan/sum_timeline.h"
#include "berth/engine/state/queue_quotas.h"

namespace berth {

class QueueTimes {
public:
    using Index = QueueQuotas::Index;

    void rebuild(const QueueQuotas& quotas);  // Nothing is in use.

    // So much more is used in [start, end), or with a negative amount less.
    void use(Time start, Time end, Index account, std::size_t tres, std::int64_t amount);

    // The first start, from `earliest` on, at which the account's jobs may use so much more for
    // `length`, but no longer than until `until`. kNever: there is none.
    Time first_free(Index account, std::size_t tres, std::int64_t amount, Time earliest,
                    Duration length, Time until = kNever) const;

    // Whether the account, or one above it, is over its limit at some time in [start, end).
    bool exceeds(Index account, std::size_t tres, Time start, Time end) const;
    // Whether none of them uses what is lent to it in that time.
    bool is_by_right(Index account, std::size_t tres, Time start, Time end) const;

private:
    enum Value : std::uint8_t { kUsed, kByRight, kPooled, kValues };
    using Uses = SumTimeline<kValues>;
    using Left = SumTimeline<1>;
    struct Change {
        Time start, end;
        std::int64_t by_right = 0, pooled = 0;
    };

    std::size_t place(Index account, std::size_t tres) const {
        const std::size_t node = account == QueueQuotas::kNone ? quotas_.accounts() : account;
        return node * quotas_.tres().size() + tres;
    }
    const Uses& uses(Index account, std::size_t tres) const { return uses_[place(account, tres)]; }
    std::size_t place_of_left(LenderSets::Set set, std::size_t tres) const {
        return set * quotas_.tres().size() + tres;
    }
    template <class SpanAt>
    FreeSpan free_in(Index account, std::size_t tres, std::int64_t amount, SpanAt span_at) const;
    void change(Index account, std::size_t tres, const Change& change, std::int64_t used,
                std::vector<Change>& above);
    void change_left(Index account, std::size_t tres, const Change& change);

    QueueQuotas quotas_;      // What is in use stands below.
    std::vector<Uses> uses_;  // By account, the root last, and TRES.
    std::vector<Left> left_;  // By set of lenders, and TRES.
};

}  // namespace berth
