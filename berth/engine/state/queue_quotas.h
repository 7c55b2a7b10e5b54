// QueueQuotas: what each queue may use by right, what it lends, and what it borrows now.
//
// What a queue uses within its nominal quota it uses by right. What it does not use others may
// borrow, except for its guarantee: all that is not guaranteed lies in one pool for each queue that
// has queues beneath it, up to the root's, and what a queue uses beyond its guarantee comes out of
// them. A check and a change cost the depth of the tree, and no list of who lent what to whom is
// kept. The pools are those of Kueue's cohorts (pkg/cache/scheduler/resource_node.go); there, a
// queue within its nominal quota waits until others have given back what they borrowed, while here
// it waits for nodes alone. Queues that name their lenders are bounded by these as well.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "berth/engine/state/flavor_nodes.h"
#include "berth/engine/state/lender_sets.h"
#include "berth/engine/state/quota_limits.h"
#include "berth/model/cluster_spec.h"

namespace berth {

class QueueQuotas {
public:
    using Index = std::uint32_t;
    static constexpr Index kNone = ~Index{0};
    static constexpr std::int64_t kUnlimited = INT64_MAX;

    // Of one queue and one TRES.
    struct Quota {
        std::optional<std::int64_t> nominal;  // Its own or, if it names none, of those beneath it.
        std::int64_t guarantee = 0;           // Never lent: its own and of those beneath it.
        std::int64_t limit = kUnlimited;
        std::int64_t kept = 0;      // Of its guarantee, what the queues beneath it do not keep.
        std::int64_t used = 0;      // By all of its jobs.
        std::int64_t by_right = 0;  // Of what is used, what lies within the quotas beneath it.
        std::int64_t pooled = 0;    // Of what is used, what the guarantees beneath it do not cover.

        std::int64_t borrowed() const {
            return std::max<std::int64_t>(0, used - nominal.value_or(0));
        }
        // What of it the queue above counts as used by right, and out of its own guarantee or pool.
        std::int64_t right_above() const {
            return nominal ? std::min(by_right, *nominal) : by_right;
        }
        std::int64_t pooled_above() const { return std::max<std::int64_t>(0, pooled - kept); }
        // What of its nominal quota it leaves to others, and what it has of theirs.
        std::int64_t spare() const { return std::max<std::int64_t>(0, room()); }
        std::int64_t drawn() const { return std::max<std::int64_t>(0, -room()); }
        std::int64_t room() const { return nominal ? *nominal - guarantee - pooled_above() : 0; }
        friend bool operator==(const Quota&, const Quota&) = default;
    };

    // Anew, with nothing in use. `parents`: by account; kNone: below the root.
    void rebuild(const ClusterSpec& spec, const LicenseNumbers& licenses,
                 const std::vector<Index>& parents);

    // What quotas name: each TRES once. Empty: no queue has a quota.
    const std::vector<TresLimit>& tres() const { return tres_; }
    // Whether some of them are of a flavor, or of a type of a GRES.
    bool tells_apart() const { return tells_apart_; }
    // Which nodes are of which flavor.
    const FlavorNodes& flavors() const { return flavors_; }
    // The account may be kNone: the root. `tres`: its place in tres().
    const Quota& of(Index account, std::size_t tres) const { return quotas_[at(account, tres)]; }
    Index parent_of(Index account) const { return parents_[account]; }
    const LenderSets& lenders() const { return lenders_; }
    // What these lenders leave that the queues of the set have not borrowed. Less than nothing: a
    // lender has taken what is its right.
    std::int64_t left_by(LenderSets::Set set, std::size_t tres) const {
        return left_[set * tres_.size() + tres];
    }
    // If nothing runs.
    std::int64_t all_left_by(LenderSets::Set set, std::size_t tres) const;
    std::size_t accounts() const { return parents_.size(); }

    // How much more the account's jobs may use now. kUnlimited: no quota bounds them.
    std::int64_t free_to(Index account, std::size_t tres) const;
    // How much of that by right: within the nominal quotas of the account and of all above it.
    // 0: none of them has any.
    std::int64_t free_by_right(Index account, std::size_t tres) const;
    // How much they may use if nothing else runs. kUnlimited: no quota bounds them.
    std::int64_t most_of(Index account, std::size_t tres) const;

    // How much more the account's jobs may use by right, and in all, if queues use other amounts
    // than now. `of`: makes of an account, or kNone, its quota with what is to count as used;
    // `left`: of a set of lenders what is to count as left.
    template <class Of>
    std::int64_t right_given(Index account, Of of) const {
        std::int64_t free = kUnlimited, right = kUnlimited;
        for (Index a = account; a != kNone; a = parents_[a]) {
            const Quota quota = of(a);
            if (quota.limit != kUnlimited) free = std::min(free, quota.limit - quota.used);
            if (quota.nominal) right = std::min(right, *quota.nominal - quota.by_right);
        }
        return right == kUnlimited ? 0 : std::max<std::int64_t>(0, std::min(free, right));
    }
    template <class Of, class Left>
    std::int64_t free_given(Index account, Of of, Left left) const {
        std::int64_t free = kUnlimited, right = kUnlimited, pooled = 0, of_lenders = kUnlimited;
        for (Index a = account; a != kNone; a = parents_[a]) {
            const Quota quota = of(a);
            if (quota.limit != kUnlimited) free = std::min(free, quota.limit - quota.used);
            if (quota.nominal) right = std::min(right, *quota.nominal - quota.by_right);
            pooled += std::max<std::int64_t>(0, quota.kept - quota.pooled);
            for (const LenderSets::Set set : lenders_.of_borrower(a)) {
                // What it uses of its own it does not lend, if it is one of the set itself.
                const std::int64_t own = quota.spare(), lent = left(set);
                const std::int64_t both = lenders_.is_member(set, a)
                                              ? std::max(own, lent)
                                              : own + std::max<std::int64_t>(0, lent);
                of_lenders = std::min(of_lenders, pooled + both);
            }
        }
        if (right != kUnlimited) {
            // Queues without a quota use the root's pool, and nothing bounds them: it may have less
            // than nothing.
            const Quota root = of(kNone);
            const std::int64_t lent = root.nominal.value_or(0) - root.guarantee - root.pooled;
            pooled += std::max<std::int64_t>(0, lent);
            free = std::min(free, std::max(right, std::min(pooled, of_lenders)));
        }
        return std::max<std::int64_t>(0, free);
    }

    // Runs of the account use so much more, or with a negative amount less.
    struct Reach {
        // free_to() may change for the jobs of this account and all below it; kNone: for no job.
        Index all = kNone;
        // And for jobs below this one that would use more than they have by right; kNone: anywhere.
        Index beyond_right = kNone;
    };
    Reach use(Index account, std::size_t tres, std::int64_t amount);

    friend bool operator==(const QueueQuotas&, const QueueQuotas&) = default;

private:
    std::size_t at(Index account, std::size_t tres) const {
        const std::size_t node = account == kNone ? parents_.size() : account;
        return node * tres_.size() + tres;
    }
    void name_tres(const ClusterSpec& spec, const LicenseNumbers& licenses);
    void set_own(const ClusterSpec& spec);
    void sum_up(const std::vector<Index>& from_below);
    void set_lenders(const ClusterSpec& spec);
    bool change_left(Index account, std::size_t tres, const Quota& before);

    std::vector<TresLimit> tres_;
    bool tells_apart_ = false;
    FlavorNodes flavors_;
    std::vector<Index> parents_;
    std::vector<Quota> quotas_;  // By account, the root last, and TRES.
    LenderSets lenders_;
    std::vector<std::int64_t> left_;  // By set of lenders, and TRES.
};

}  // namespace berth
