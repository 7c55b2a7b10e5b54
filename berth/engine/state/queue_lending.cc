#include "berth/engine/state/queue_lending.h"

#include <algorithm>

#include "berth/base/quantity.h"

namespace berth {
namespace {

using QueueIndex = QueueQuotas::Index;
using QueueQuota = QueueQuotas::Quota;

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
        const std::int64_t wanted = borrowed + std::max<std::int64_t>(0, unbounded - unowned);
        share_out(QueueQuotas::kNone, wanted - lend_by_name(wanted));
        return std::move(lent_);
    }

private:
    const QueueQuota& of(QueueIndex account) const { return quotas_.of(account, tres_); }
    std::size_t place(QueueIndex account) const {
        return account == QueueQuotas::kNone ? quotas_.accounts() : account;
    }

    std::int64_t spare_of(QueueIndex account) const { return of(account).spare() - lent_[account]; }

    // What queues have of the lenders that they name, those with the fewest first. Returns how much
    // that is in all.
    std::int64_t lend_by_name(std::int64_t wanted) {
        const LenderSets& lenders = quotas_.lenders();
        std::vector<std::pair<std::size_t, QueueIndex>> borrowers;
        for (QueueIndex a = 0; a < quotas_.accounts(); ++a) {
            if (!lenders.of_borrower(a).empty()) borrowers.emplace_back(lenders.own(a).size(), a);
        }
        std::ranges::sort(borrowers);
        std::int64_t left = std::max<std::int64_t>(0, wanted);
        for (const auto& [count, borrower] : borrowers) {
            std::int64_t drawn = std::min(left, of(borrower).drawn());
            for (const QueueIndex lender : lenders.own(borrower)) {
                const std::int64_t lent = std::clamp<std::int64_t>(drawn, 0, spare_of(lender));
                lent_[lender] += lent;
                drawn -= lent;
                left -= lent;
            }
        }
        return std::max<std::int64_t>(0, wanted) - left;
    }

    // The queues right beneath lend so much more, and those beneath them in turn.
    void share_out(QueueIndex above, std::int64_t wanted) {
        const std::vector<QueueIndex>& those = beneath_[place(above)];
        Wide all = 0;
        for (const QueueIndex a : those) all += spare_of(a);
        const Wide lent = std::clamp<Wide>(wanted, 0, all);
        Wide before = 0;
        for (const QueueIndex a : those) {
            const Wide after = before + spare_of(a);
            if (all > 0)
                lent_[a] += static_cast<std::int64_t>(lent * after / all - lent * before / all);
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
