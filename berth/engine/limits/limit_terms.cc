#include "berth/engine/limits/limit_terms.h"

#include <algorithm>
#include <optional>

#include "berth/policy/tres.h"

namespace berth {
namespace {

using Holder = LimitCounter::Holder;

LimitCounter counter_of(Holder holder, std::uint32_t of, std::uint32_t within) {
    return {.holder = holder, .of = of, .within = within};
}

LimitCounter counter_of(LimitCounter of, const TresLimit& limit) {
    of.what = LimitCounter::What::tres;
    of.kind = limit.kind;
    of.dimensions = limit.dimensions;
    of.of_type = limit.of_type;
    of.license = limit.license;
    return of;
}

// Gathers the terms of one job. `Amount`: how much it takes of a TRES.
template <class Amount>
class Terms {
public:
    Terms(const ClusterState& state, const Job& job, const QuotaTree::QosLimits& qos, Amount amount)
        : quota_(state.quota()),
          place_(place_in_quota(state, job)),
          qos_(qos),
          over_(qos.over),
          amount_(amount) {}

    std::vector<LimitTerm> gather() {
        for (const auto& one : qos_.each) {
            if (one.limits != nullptr) add_qos(one.qos, *one.limits);
        }
        if (place_.association != QuotaTree::kNone) {
            add_group(*quota_.nearest_limits(place_),
                      counter_of(Holder::association, place_.leaf, 0));
        }
        for (auto a = place_.account; a != QuotaTree::kNone; a = quota_.account(a).parent) {
            const QuotaLimits* const limits = quota_.account(a).limits;
            if (limits != nullptr) add_group(*limits, counter_of(Holder::account, a, 0));
        }
        const QuotaLimits* const nearest = quota_.nearest_limits(place_);
        if (nearest != nullptr && (over_ == nullptr || !over_->replaces_max_jobs()))
            add_jobs(nearest->max_jobs, counter_of(Holder::user, place_.leaf, 0));
        return std::move(terms_);
    }

private:
    void add_qos(QosId of, const QuotaLimits& limits) {
        const auto qos = static_cast<std::uint32_t>(of.index());
        const LimitCounter of_user = counter_of(Holder::qos_user, qos, place_.user);
        const LimitCounter of_account = counter_of(Holder::qos_account, qos, place_.account_name);
        const LimitCounter of_all = counter_of(Holder::qos, qos, 0);
        add_jobs(limits.max_jobs, of_user);
        add_tres(limits.per_user, of_user, nullptr);
        add_jobs(limits.max_jobs_per_account, of_account);
        add_tres(limits.per_account, of_account, nullptr);
        add_jobs(limits.group_jobs, of_all);
        add_tres(limits.group, of_all, nullptr);
    }
    void add_group(const QuotaLimits& limits, const LimitCounter& holder) {
        if (over_ == nullptr || !over_->group_jobs) add_jobs(limits.group_jobs, holder);
        add_tres(limits.group, holder, over_ == nullptr ? nullptr : &over_->group);
    }
    void add_jobs(const std::optional<std::uint32_t>& most, const LimitCounter& counter) {
        if (most) terms_.push_back({counter, *most, 1});
    }
    void add_tres(const TresLimitList& limits, const LimitCounter& holder,
                  const TresLimitList* over) {
        for (const TresLimit& limit : limits) {
            if (over != nullptr && is_overridden(*over, limit)) continue;
            if (const std::int64_t amount = amount_(limit); amount != 0)
                terms_.push_back({counter_of(holder, limit), limit.most, amount});
        }
    }

    const QuotaTree& quota_;
    QuotaTree::Place place_;
    QuotaTree::QosLimits qos_;
    const QuotaLimits* over_;  // Override those of accounts; nullptr: none do.
    Amount amount_;
    std::vector<LimitTerm> terms_;
};

}  // namespace

QuotaTree::Place place_in_quota(const ClusterState& state, const Job& job) {
    const QuotaTree& quota = state.quota();
    const auto known = state.usage_of(job);
    if (known) return quota.place_of(static_cast<QuotaTree::Index>(*known));
    return quota.place_of(job.spec.account, job.owner->user);
}

bool is_counted_in(const ClusterState& state, QuotaTree::Index account, const Job& job) {
    QuotaTree::Index at = place_in_quota(state, job).account;
    while (at != QuotaTree::kNone && at != account) at = state.quota().account(at).parent;
    return at != QuotaTree::kNone;
}

std::vector<LimitTerm> limit_terms_of(const ClusterState& state, const Job& pending,
                                      const Demand& demand, const LimitRequest& asked) {
    const auto amount = [&](const TresLimit& limit) { return asked.of(limit, demand); };
    return Terms(state, pending, state.quota().qos_limits(pending.qos, pending.partition), amount)
        .gather();
}

std::vector<LimitTerm> limit_terms_of_run(const ClusterState& state, const Job& run) {
    const QuotaUse::Held held{
        .nodes = static_cast<std::int64_t>(run.nodes.size()),
        .amount = run.allocated,
        .licenses = state.quota().licenses()->counts_of(run.allocation->licenses)};
    const auto amount = [&](const TresLimit& limit) {
        if (limit.kind != TresKind::billing) return amount_of(limit, held);
        return billing_of(state.spec(), run.partition, {held.nodes, held.amount}).whole;
    };
    const QuotaTree& quota = state.quota();
    QuotaTree::QosLimits all{.each = {{{run.qos, quota.limits_of_qos(run.qos)}, {}}}};
    const auto other = quota.partition_qos(run.partition);
    if (other && *other != run.qos) all.each[1] = {*other, quota.limits_of_qos(*other)};
    return Terms(state, run, all, amount).gather();
}

}  // namespace berth
