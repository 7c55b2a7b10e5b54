#include "berth/engine/plan/limit_book.h"

#include <algorithm>

namespace berth {

void LimitBook::rebuild(const QuotaTree& quota) {
    numbers_.clear();
    counters_.clear();
    forget_known();
    queues_.rebuild(quota.queues());
}

void LimitBook::forget_known() {
    known_.clear();
    uses_.clear();
}

// A counter that is new has no use: each job is booked with all counters that count it.
Shared<LimitUse> LimitBook::numbered(const std::vector<LimitTerm>& terms, LimitUse use) const {
    use.terms.reserve(terms.size());
    for (const LimitTerm& term : terms) {
        const auto next = static_cast<std::uint32_t>(counters_.size());
        const auto [at, is_new] = numbers_.try_emplace(term.counter, next);
        if (is_new) counters_.emplace_back(term.most);
        CountTimeline& counter = counters_[at->second];
        if (counter.total() != term.most) {
            (counter.total() < term.most ? moves_.up : moves_.down) = true;
            counter.set_total(term.most);
        }
        use.terms.push_back({at->second, term.amount});
    }
    if (use.queue.empty()) use.account = QueueQuotas::kNone;
    return shared(std::move(use));
}

Shared<LimitUse> LimitBook::shared(LimitUse use) const {
    constexpr std::size_t kUsesMost = 1 << 12;
    if (uses_.size() >= kUsesMost) uses_.clear();
    return *uses_.emplace(std::move(use)).first;
}

Shared<LimitUse> LimitBook::use_of(const ClusterState& state, const Job& pending,
                                   const Demand& demand, const LimitRequest& asked) const {
    if (!state.quota().enforced()) return {};
    LimitUse use{.account = place_in_quota(state, pending).account,
                 .queue = queue_amounts_of(state.quota().queues(), demand, asked)};
    return numbered(limit_terms_of(state, pending, demand, asked), std::move(use));
}

Shared<LimitUse> LimitBook::use_of_run(const ClusterState& state, const Job& run) const {
    const QuotaTree& quota = state.quota();
    if (!quota.enforced()) return {};
    LimitUse use{.account = place_in_quota(state, run).account};
    for (std::size_t i = 0; i < quota.queues().tres().size(); ++i) {
        const std::int64_t amount = quota.used_by(run, i);
        if (amount > 0) use.queue.emplace_back(i, amount);
    }
    return numbered(limit_terms_of_run(state, run), std::move(use));
}

const Shared<LimitUse>* LimitBook::find(const Key& key) const {
    const auto known = known_.find(key);
    return known == known_.end() ? nullptr : &known->second;
}

const Shared<LimitUse>& LimitBook::keep(const Key& key, Shared<LimitUse> use) const {
    constexpr std::size_t kKeptMost = 1 << 11;  // More than wait ahead, which are asked for often.
    if (known_.size() >= kKeptMost) known_.clear();
    return known_.insert_or_assign(key, std::move(use)).first->second;
}

void LimitBook::change(Time start, Time end, const LimitUse& use, std::int64_t times) {
    for (const LimitUse::Term& term : use.terms)
        counters_[term.counter].book(start, end, times * term.amount);
    for (const auto& [tres, amount] : use.queue)
        queues_.use(start, end, use.account, tres, times * amount);
}

std::optional<Time> LimitBook::first_free(const LimitUse& use, Time earliest, Time latest,
                                          Duration length, Time until) const {
    Time at = earliest;
    const auto move_to = [&](Time next) {
        const bool moves = next > at;
        at = std::max(at, next);
        return moves;
    };
    for (bool moved = true; moved && at <= latest && at != kNever;) {
        moved = false;
        for (const LimitUse::Term& term : use.terms) {
            const CountTimeline& counter = counters_[term.counter];
            moved = move_to(counter.first_free(term.amount, at, length, until)) || moved;
        }
        for (const auto& [tres, amount] : use.queue) {
            const Time next = queues_.first_free(use.account, tres, amount, at, length, until);
            moved = move_to(next) || moved;
        }
    }
    return at <= latest && at != kNever ? std::optional(at) : std::nullopt;
}

bool LimitBook::exceeds(const LimitUse& use, Time start, Time end) const {
    return std::ranges::any_of(use.terms,
                               [&](const LimitUse::Term& term) {
                                   return counters_[term.counter].goes_below_zero(start, end);
                               }) ||
           std::ranges::any_of(use.queue, [&](const auto& one) {
               return queues_.exceeds(use.account, one.first, start, end);
           });
}

bool LimitBook::is_by_right(const LimitUse& use, Time start, Time end) const {
    return std::ranges::all_of(use.queue, [&](const auto& one) {
        return queues_.is_by_right(use.account, one.first, start, end);
    });
}

}  // namespace berth
