// QuotaLimits: the limits of one holder (an account, an association, a QOS) as they are checked:
// each TRES resolved to what is counted, so that a check compares numbers alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/time.h"
#include "berth/engine/state/license_numbers.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/limits.h"
#include "berth/model/resources.h"

namespace berth {

// "gres/gpu:a100=4", resolved.
struct TresLimit {
    std::string tres;  // As configured.
    TresKind kind = TresKind::cpu;
    DimensionSet dimensions = 0;                // Of a GRES; none if this cluster has no such GRES.
    bool of_type = false;                       // Of a GRES: of the type that the limit names.
    std::uint8_t flavor = FlavorChoice::kNone;  // Of a queue: on nodes of this flavor.
    std::uint32_t license = LicenseNumbers::kNone;
    std::int64_t most = 0;  // Memory in MiB.

    friend bool operator==(const TresLimit&, const TresLimit&) = default;
};
// Whether both limit the same TRES. GRES that this cluster does not have count as one.
inline bool is_same_tres(const TresLimit& a, const TresLimit& b) {
    return a.kind == b.kind && a.dimensions == b.dimensions && a.of_type == b.of_type &&
           a.license == b.license && a.flavor == b.flavor;
}
using TresLimitList = std::vector<TresLimit>;

// What all runs below an account or association may use in the course of time: see Budgets.
struct GroupBudgets {
    TresLimitList minutes;
    std::optional<Duration> wall;  // The time that they take.

    friend bool operator==(const GroupBudgets&, const GroupBudgets&) = default;
};

struct QuotaLimits {
    TresLimitList group, per_job, per_node, minutes_per_job, per_user, per_account, least_per_job;
    GroupBudgets budgets;                                      // No QOS has them.
    std::optional<std::uint32_t> group_jobs, group_submitted;  // Of all jobs below the holder.
    std::optional<std::uint32_t> max_jobs, max_submitted;      // Of each user.
    std::optional<std::uint32_t> max_jobs_per_account, max_submitted_per_account;  // Of a QOS.
    std::optional<Duration> max_wall;

    bool limits_all() const { return group_jobs || !group.empty(); }
    bool limits_users() const { return max_jobs || !per_user.empty(); }
    bool limits_accounts() const { return max_jobs_per_account || !per_account.empty(); }
    // Of a QOS: whether each user's use, or each account's, is counted.
    bool counts_users() const { return limits_users() || max_submitted; }
    bool counts_accounts() const { return limits_accounts() || max_submitted_per_account; }
    // Of a QOS: whether it replaces these limits of associations. As in Slurm 22.05, one of each
    // account replaces that of each user as well.
    bool replaces_max_jobs() const { return max_jobs || max_jobs_per_account; }
    bool replaces_max_submitted() const { return max_submitted || max_submitted_per_account; }

    friend bool operator==(const QuotaLimits&, const QuotaLimits&) = default;
};

QuotaLimits quota_limits_of(const Dimensions& dimensions, const LicenseNumbers& licenses,
                            const Limits& limits);
// Of queues, whose TRES may be of flavors.
TresLimitList tres_limits_of(const ClusterSpec& spec, const LicenseNumbers& licenses,
                             const TresLimits& limits);

// Whether some limit of the list is on the same TRES, and overrides this one.
bool is_overridden(const TresLimitList& by, const TresLimit& limit);

// Of two QOS that both limit a job: what the second one sets and the first does not.
QuotaLimits without(QuotaLimits second, const QuotaLimits& first);
// The limits of both. REQUIRES: neither sets what the other does.
QuotaLimits joined(QuotaLimits one, const QuotaLimits& other);

}  // namespace berth
