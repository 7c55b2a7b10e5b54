#include "berth/engine/preempt/reclaim.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kBeforeOthers = INT64_MAX / 2;  // More than any excess.

QueueQuotas::Index account_of(const ClusterState& state, const Job& job) {
    return state.quota().place_of(static_cast<QueueQuotas::Index>(*state.usage_of(job))).account;
}

}  // namespace

std::vector<JobId> ending_runs(const ClusterState& state) {
    std::vector<JobId> ending;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        const bool goes = run.allocation->preempted && !run.lends_cores();
        if (run.state == JobState::completing || goes) ending.push_back(id);
    }
    return ending;
}

std::vector<QueueQuotas::Index> Reclaim::queues_from(QueueQuotas::Index account) const {
    std::vector<QueueQuotas::Index> queues;
    for (; account != QueueQuotas::kNone; account = quotas_.parent_of(account))
        queues.push_back(account);
    return queues;
}

Reclaim::Claim Reclaim::claim_of(const Job& job, const Demand& demand,
                                 const LimitRequest& asked) const {
    return {.amounts = queue_amounts_of(quotas_, demand, asked),
            .queues = queues_from(account_of(state_, job))};
}

void Reclaim::expect(const Claim& claim) {
    if (claim.queues.empty()) return;
    for (const auto& [tres, amount] : claim.amounts)
        quotas_.use(claim.queues.front(), tres, amount);
}

bool Reclaim::is_by_right(const Claim& claim) const {
    return !claim.queues.empty() &&
           quota_standing(quotas_, claim.queues.front(), claim.amounts) == QuotaStanding::by_right;
}

std::optional<std::int64_t> Reclaim::excess_of(const Job& run, const Claim& claim) const {
    std::vector<QueueQuotas::Index> others = queues_from(account_of(state_, run));
    const auto common = std::ranges::find_first_of(others, claim.queues);
    others.erase(common, others.end());
    if (others.empty()) return std::nullopt;
    std::optional<std::int64_t> most;
    for (const auto& [tres, amount] : claim.amounts) {
        const auto over = [&](QueueQuotas::Index queue) {
            return quotas_.of(queue, tres).borrowed();
        };
        const auto borrows = [&](QueueQuotas::Index queue) { return over(queue) > 0; };
        if (state_.quota().used_by(run, tres) == 0 || !std::ranges::all_of(others, borrows))
            continue;
        const std::int64_t nominal = quotas_.of(others.back(), tres).nominal.value_or(0);
        std::int64_t excess = over(others.back()) * kMillion / std::max<std::int64_t>(1, nominal);
        excess = std::min(excess, kBeforeOthers - 1);
        if (has_too_much(others, claim, tres, amount)) excess += kBeforeOthers;
        most = std::max(most.value_or(0), excess);
    }
    return most;
}

// Whether some of these queues share lenders which will leave less than has been borrowed of them
// once the claim is met.
bool Reclaim::has_too_much(const std::vector<QueueQuotas::Index>& borrowers, const Claim& claim,
                           std::size_t tres, std::int64_t amount) const {
    const LenderSets& lenders = quotas_.lenders();
    const auto will_leave = [&](LenderSets::Set set) {
        std::int64_t left = quotas_.left_by(set, tres);
        for (const QueueQuotas::Index queue : claim.queues) {
            if (lenders.is_member(set, queue))
                left -= std::min(amount, quotas_.of(queue, tres).spare());
        }
        return left;
    };
    return std::ranges::any_of(borrowers, [&](QueueQuotas::Index queue) {
        return std::ranges::any_of(lenders.of_borrower(queue),
                                   [&](LenderSets::Set set) { return will_leave(set) < 0; });
    });
}

void Reclaim::take(const Job& run) {
    for (std::size_t i = 0; i < quotas_.tres().size(); ++i) {
        if (const std::int64_t amount = state_.quota().used_by(run, i); amount != 0)
            quotas_.use(account_of(state_, run), i, -amount);
    }
}

}  // namespace berth
