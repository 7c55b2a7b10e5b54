#include "berth/engine/plan/limit_book.h"

#include <algorithm>

#include "berth/engine/plan/slot_hash.h"

namespace berth {

namespace {

// So many slots, which take 24 and 8 bytes each. The first is more than wait ahead, since those are
// asked for often.
constexpr std::size_t kKnownMost = 1 << 11;
constexpr std::size_t kUsesMost = 1 << 12;

std::size_t known_slot(const LimitBook::Key& key) {
    SlotHash hash;
    hash.add(key.kind);
    hash.add(std::uint64_t{key.leaf} << 32 | key.qos.value());
    return hash.value() % kKnownMost;
}

}  // namespace

void LimitBook::rebuild(const QuotaTree& quota) {
    counters_.clear();
    forget_known();
    queues_.rebuild(quota.queues());
}

void LimitBook::forget_known() {
    known_.clear();
    uses_.clear();
}

// A counter that is new has no use: each job is booked with all counters that count it.
LimitUse LimitBook::numbered(const std::vector<LimitTerm>& terms, QueueTimes::Index account,
                             const QueueAmounts& queue) const {
    counted_.clear();
    queued_.clear();
    for (const LimitTerm& term : terms) {
        const LimitCounters::Number number = counters_.number_of(term.counter, term.most);
        CountTimeline& counter = counters_[number];
        if (counter.total() != term.most) {
            (counter.total() < term.most ? moves_.up : moves_.down) = true;
            counter.set_total(term.most);
        }
        counted_.push_back({number, term.amount});
    }
    for (const auto& [tres, amount] : queue)
        queued_.push_back({static_cast<std::uint32_t>(tres), amount});
    return shared({counted_, account, queued_});
}

LimitUse LimitBook::shared(LimitUse use) const {
    if (use.empty()) return use;
    if (uses_.empty()) uses_.resize(kUsesMost);
    LimitUse& known = uses_[use.hash() % kUsesMost];
    if (known != use) known = std::move(use);
    return known;
}

LimitUse LimitBook::use_of(const ClusterState& state, const Job& pending, const Demand& demand,
                           const LimitRequest& asked) const {
    if (!state.quota().enforced()) return {};
    return numbered(limit_terms_of(state, pending, demand, asked),
                    place_in_quota(state, pending).account,
                    queue_amounts_of(state.quota().queues(), demand, asked));
}

LimitUse LimitBook::use_of_run(const ClusterState& state, const Job& run) const {
    const QuotaTree& quota = state.quota();
    if (!quota.enforced()) return {};
    QueueAmounts queue;
    for (std::size_t i = 0; i < quota.queues().tres().size(); ++i) {
        const std::int64_t amount = quota.used_by(run, i);
        if (amount > 0) queue.emplace_back(i, amount);
    }
    return numbered(limit_terms_of_run(state, run), place_in_quota(state, run).account, queue);
}

const LimitUse* LimitBook::find(const Key& key) const {
    if (known_.empty()) return nullptr;
    const Known& known = known_[known_slot(key)];
    return known.key == key ? &known.use : nullptr;
}

const LimitUse& LimitBook::keep(const Key& key, LimitUse use) const {
    if (known_.empty()) known_.resize(kKnownMost);
    Known& known = known_[known_slot(key)];
    known = {key, std::move(use)};
    return known.use;
}

void LimitBook::change(Time start, Time end, const LimitUse& use, std::int64_t times) {
    for (const auto [counter, amount] : use.counted())
        counters_[counter].book(start, end, times * amount);
    for (const auto [tres, amount] : use.queued())
        queues_.use(start, end, use.account(), tres, times * amount);
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
        for (const auto [counter, amount] : use.counted()) {
            const Time next = counters_[counter].first_free(amount, at, length, until);
            moved = move_to(next) || moved;
        }
        for (const auto [tres, amount] : use.queued()) {
            const Time next = queues_.first_free(use.account(), tres, amount, at, length, until);
            moved = move_to(next) || moved;
        }
    }
    return at <= latest && at != kNever ? std::optional(at) : std::nullopt;
}

bool LimitBook::exceeds(const LimitUse& use, Time start, Time end) const {
    return std::ranges::any_of(use.counted(),
                               [&](const LimitUse::Part& part) {
                                   return counters_[part.of].goes_below_zero(start, end);
                               }) ||
           std::ranges::any_of(use.queued(), [&](const LimitUse::Part& part) {
               return queues_.exceeds(use.account(), part.of, start, end);
           });
}

bool LimitBook::is_by_right(const LimitUse& use, Time start, Time end) const {
    return std::ranges::all_of(use.queued(), [&](const LimitUse::Part& part) {
        return queues_.is_by_right(use.account(), part.of, start, end);
    });
}

}  // namespace berth
