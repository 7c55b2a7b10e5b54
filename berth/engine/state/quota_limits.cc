#include "berth/engine/state/quota_limits.h"

#include <string_view>

namespace berth {
namespace {

// The dimensions of "gpu" (all types) or "gpu:a100".
DimensionSet dimensions_named(const Dimensions& dimensions, std::string_view gres) {
    const std::size_t colon = gres.find(':');
    DimensionSet set = 0;
    for (const DimensionId d : dimensions.of_name(gres.substr(0, colon))) {
        const bool meant =
            colon == std::string_view::npos || dimensions.at(d).type == gres.substr(colon + 1);
        if (meant) set |= dimension_bit(d);
    }
    return set;
}

TresLimitList resolve(const Dimensions& dimensions, const LicenseNumbers& licenses,
                      const TresLimits& limits) {
    TresLimitList resolved;
    resolved.reserve(limits.size());
    for (const auto& [tres, count] : limits) {
        TresLimit limit{.tres = tres, .kind = kind_of_tres(tres), .most = count};
        if (limit.kind == TresKind::gres && tres.size() > 5) {
            limit.dimensions = dimensions_named(dimensions, std::string_view(tres).substr(5));
            limit.of_type = tres.find(':') != std::string::npos;
        } else if (limit.kind == TresKind::license) {
            limit.license = licenses.of(license_in(tres));
        }
        resolved.push_back(std::move(limit));
    }
    return resolved;
}

}  // namespace

QuotaLimits quota_limits_of(const Dimensions& dimensions, const LicenseNumbers& licenses,
                            const Limits& limits) {
    const auto resolved = [&](const TresLimits& list) {
        return resolve(dimensions, licenses, list);
    };
    return {
        .group = resolved(limits.group_tres),
        .per_job = resolved(limits.max_tres_per_job),
        .per_node = resolved(limits.max_tres_per_node),
        .minutes_per_job = resolved(limits.max_tres_minutes_per_job),
        .per_user = resolved(limits.max_tres_per_user),
        .per_account = resolved(limits.max_tres_per_account),
        .least_per_job = resolved(limits.min_tres_per_job),
        .group_jobs = limits.group_jobs,
        .group_submitted = limits.group_submitted,
        .max_jobs = limits.max_jobs,
        .max_submitted = limits.max_submitted,
        .max_jobs_per_account = limits.max_jobs_per_account,
        .max_submitted_per_account = limits.max_submitted_per_account,
        .max_wall = limits.max_wall,
    };
}

}  // namespace berth
