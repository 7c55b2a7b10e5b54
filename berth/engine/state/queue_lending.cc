#include "berth/engine/state/queue_lending.h"

#include <algorithm>

#include "berth/base/quantity.h"

namespace berth {
namespace {

using QueueIndex = QueueQuotas::Index;
using QueueQuota = QueueQuotas::Quota;

// What it could lend beyond what it lends already to itself: its unused quota, except for what its
// guarantee keeps.
std::int64_t spare_of(const QueueQuota& quota) {
    const std::int64_t out = std::max<std::int64_t>(0, quota.pooled - quota.kept);
    return std::max<std::int64_t>(0, quota.nominal.value_or(0) - quota.guarantee - out);
}

class Lending {
public:
    Lending(const QueueQuotas& quotas, std::size_t tres) : quotas_(quotas), tres_(tres) {
        beneath_.resize(quotas.accounts() + 1);
        lent_.resize(quotas.accounts());
        for (QueueIndex a = 0; a < quotas.accounts(); ++a)
            beneath_[place(quotas.parent_of(a))].push_back(a);
    }

    std::vector<std::int64_t> run(std::int64_t unowned) {
        std::int64_t borrowed = 0, unbounded = 0;
        for (const QueueIndex a : beneath_.back())
            (of(a).nominal ? borrowed : unbounded) += of(a).borrowed();
        share_out(QueueQuotas::kNone, borrowed + std::max<std::int64_t>(0, unbounded - unowned));
        return std::move(lent_);
    }

private:
    const QueueQuota& of(QueueIndex account) const { return quotas_.of(account, tres_); }
    std::size_t place(QueueIndex account) const {
        return account == QueueQuotas::kNone ? quotas_.accounts() : account;
    }

    // The queues right beneath lend so much, and those beneath them in turn.
    void share_out(QueueIndex above, std::int64_t wanted) {
        const std::vector<QueueIndex>& those = beneath_[place(above)];
        Wide all = 0;
        for (const QueueIndex a : those) all += spare_of(of(a));
        const Wide lent = std::clamp<Wide>(wanted, 0, all);
        Wide before = 0;
        for (const QueueIndex a : those) {
            const Wide after = before + spare_of(of(a));
            if (all > 0)
                lent_[a] = static_cast<std::int64_t>(lent * after / all - lent * before / all);
            before = after;
        }
        for (const QueueIndex a : those) {
            if (!beneath_[a].empty()) share_out(a, wanted_below(a));
        }
    }

    std::int64_t wanted_below(QueueIndex account) const {
        std::int64_t borrowed = 0, used = 0, nominal = 0;
        for (const QueueIndex a : beneath_[account]) {
            borrowed += of(a).borrowed();
            used += of(a).used;
            nominal += of(a).nominal.value_or(0);
        }
        const QueueQuota& quota = of(account);
        const std::int64_t own_jobs = quota.used - used;
        const std::int64_t own = std::max<std::int64_t>(0, quota.nominal.value_or(0) - nominal);
        return lent_[account] + borrowed + own_jobs - quota.borrowed() - own;
    }

    const QueueQuotas& quotas_;
    std::size_t tres_;
    std::vector<std::vector<QueueIndex>> beneath_;  // By account, the root last.
    std::vector<std::int64_t> lent_;
};

}  // namespace

std::vector<std::int64_t> lent_by_queues(const QueueQuotas& quotas, std::size_t tres,
                                         std::int64_t unowned) {
    return Lending(quotas, tres).run(unowned);
}

}  // namespace berth
