#include "berth/engine/plan/queue_times.h"

#include <algorithm>

namespace berth {
namespace {

QueueQuotas::Quota with_use(QueueQuotas::Quota quota, const std::array<std::int64_t, 3>& use) {
    quota.used = use[0];
    quota.by_right = use[1];
    quota.pooled = use[2];
    return quota;
}

}  // namespace

void QueueTimes::rebuild(const QueueQuotas& quotas) {
    quotas_ = quotas;
    const std::size_t nodes = quotas.tres().empty() ? 0 : quotas.accounts() + 1;
    uses_.assign(nodes * quotas.tres().size(), Uses());
    left_.clear();
    for (LenderSets::Set set = 0; set < quotas.lenders().size(); ++set) {
        for (std::size_t tres = 0; tres < quotas.tres().size(); ++tres)
            left_.emplace_back(Left::Sums{quotas.all_left_by(set, tres)});
    }
}

// What the queue leaves to those that it lends to, or has of its lenders. In each of three ranges
// of its use that follows the use or stays as it is. So it changes by the same at all times of a
// span whose bounds lie in one range, before the change and after it, and change by the same.
void QueueTimes::change_left(Index account, std::size_t tres, const Change& change) {
    const auto lends_to = quotas_.lenders().of_lender(account);
    const auto borrows_of = quotas_.lenders().of_borrower(account);
    if (lends_to.empty() && borrows_of.empty()) return;
    struct Moved {
        std::array<int, 2> ranges;
        std::int64_t spare, drawn;
        bool operator==(const Moved&) const = default;
    };
    const auto range_of = [](const QueueQuotas::Quota& quota) {
        if (quota.pooled <= quota.kept) return 0;
        return quota.room() > 0 ? 1 : 2;
    };
    const auto moved_by = [&](const std::array<std::int64_t, 3>& use) {
        const QueueQuotas::Quota before = with_use(quotas_.of(account, tres), use);
        QueueQuotas::Quota after = before;
        after.pooled += change.pooled;
        return Moved{{range_of(before), range_of(after)},
                     after.spare() - before.spare(),
                     after.drawn() - before.drawn()};
    };
    uses(account, tres)
        .walk(
            change.start, change.end,
            [&](const Uses::Span& span) { return moved_by(span.least) == moved_by(span.most); },
            [&](const Uses::Span& span) {
                const Moved moved = moved_by(span.least);
                for (const LenderSets::Set set : lends_to)
                    left_[place_of_left(set, tres)].add(span.start, span.end, {moved.spare});
                for (const LenderSets::Set set : borrows_of)
                    left_[place_of_left(set, tres)].add(span.start, span.end, {-moved.drawn});
            });
}

// Changes one queue, and adds what of it the queue above counts. That is the same wherever the
// queue stays within its quota, or beyond it: mostly in whole chunks.
void QueueTimes::change(Index account, std::size_t tres, const Change& change, std::int64_t used,
                        std::vector<Change>& above) {
    const auto counted_above = [&](const std::array<std::int64_t, 3>& use) {
        const QueueQuotas::Quota before = with_use(quotas_.of(account, tres), use);
        QueueQuotas::Quota after = before;
        after.by_right += change.by_right;
        after.pooled += change.pooled;
        return std::pair(after.right_above() - before.right_above(),
                         after.pooled_above() - before.pooled_above());
    };
    change_left(account, tres, change);
    Uses& uses = uses_[place(account, tres)];
    uses.walk(
        change.start, change.end,
        [&](const Uses::Span& span) {
            return counted_above(span.least) == counted_above(span.most);
        },
        [&](const Uses::Span& span) {
            const auto [by_right, pooled] = counted_above(span.least);
            const bool goes_on = !above.empty() && above.back().end == span.start &&
                                 above.back().by_right == by_right && above.back().pooled == pooled;
            if (goes_on) {
                above.back().end = span.end;
            } else {
                above.push_back({span.start, span.end, by_right, pooled});
            }
        });
    uses.add(change.start, change.end, {used, change.by_right, change.pooled});
}

void QueueTimes::use(Time start, Time end, Index account, std::size_t tres, std::int64_t amount) {
    std::vector<Change> changes{{start, end, amount, amount}};
    for (; account != QueueQuotas::kNone; account = quotas_.parent_of(account)) {
        std::vector<Change> above;
        for (const Change& one : changes) change(account, tres, one, amount, above);
        changes = std::move(above);
    }
    Uses& root = uses_[place(QueueQuotas::kNone, tres)];
    for (const Change& one : changes)
        root.add(one.start, one.end, {amount, one.by_right, one.pooled});
}

// More in use never leaves more free, so the bounds of one bound the other. What is there by right
// is not looked up beyond the account's own queues: the root's pool changes with every run.
template <class SpanAt>
FreeSpan QueueTimes::free_in(Index account, std::size_t tres, std::int64_t amount,
                             SpanAt span_at) const {
    FreeSpan free{.end = kNever, .most = QueueQuotas::kUnlimited};
    const auto fullest = [&](Index a) {
        const Uses::Span span = span_at(uses(a, tres));
        free.end = std::min(free.end, span.end);
        return with_use(quotas_.of(a, tres), span.most);
    };
    free.least = quotas_.right_given(account, fullest);
    if (free.least >= amount) return free;
    const auto left_in = [&](LenderSets::Set set) {
        const Left::Span span = span_at(left_[place_of_left(set, tres)]);
        free.end = std::min(free.end, span.end);
        return span;
    };
    free.least = quotas_.free_given(account, fullest,
                                    [&](LenderSets::Set set) { return left_in(set).least[0]; });
    free.most = quotas_.free_given(
        account,
        [&](Index a) { return with_use(quotas_.of(a, tres), span_at(uses(a, tres)).least); },
        [&](LenderSets::Set set) { return left_in(set).most[0]; });
    return free;
}

Time QueueTimes::first_free(Index account, std::size_t tres, std::int64_t amount, Time earliest,
                            Duration length, Time until) const {
    const Time end = std::min(after(earliest, length), until);
    const FreeSpan at_once =
        free_in(account, tres, amount, [&](const auto& uses) { return uses.over(earliest, end); });
    if (at_once.least >= amount) return earliest;
    return first_with_room(
        amount, earliest, length, until,
        [&](Time moment) {
            return free_in(account, tres, amount,
                           [&](const auto& uses) { return uses.around(moment); });
        },
        [&](Time moment) {
            return free_in(account, tres, amount,
                           [&](const auto& uses) { return uses.at(moment); });
        });
}

bool QueueTimes::exceeds(Index account, std::size_t tres, Time start, Time end) const {
    bool over = false;
    for (Index a = account; a != QueueQuotas::kNone; a = quotas_.parent_of(a)) {
        const std::int64_t limit = quotas_.of(a, tres).limit;
        if (limit == QueueQuotas::kUnlimited) continue;
        uses(a, tres).walk(
            start, end, [&](const Uses::Span& span) { return span.most[kUsed] <= limit; },
            [&](const Uses::Span& span) { over = over || span.most[kUsed] > limit; });
    }
    return over;
}

bool QueueTimes::is_by_right(Index account, std::size_t tres, Time start, Time end) const {
    bool borrows = false;
    for (Index a = account; a != QueueQuotas::kNone; a = quotas_.parent_of(a)) {
        const auto& nominal = quotas_.of(a, tres).nominal;
        if (!nominal) continue;
        uses(a, tres).walk(
            start, end, [&](const Uses::Span& span) { return span.most[kByRight] <= *nominal; },
            [&](const Uses::Span& span) { borrows = borrows || span.most[kByRight] > *nominal; });
    }
    return !borrows;
}

}  // namespace berth
