#include "berth/engine/state/quota_limits.h"

#include <algorithm>
#include <array>
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
        .budgets = {resolved(limits.group_tres_minutes), limits.group_wall},
        .group_jobs = limits.group_jobs,
        .group_submitted = limits.group_submitted,
        .max_jobs = limits.max_jobs,
        .max_submitted = limits.max_submitted,
        .max_jobs_per_account = limits.max_jobs_per_account,
        .max_submitted_per_account = limits.max_submitted_per_account,
        .max_wall = limits.max_wall,
    };
}

TresLimitList tres_limits_of(const ClusterSpec& spec, const LicenseNumbers& licenses,
                             const TresLimits& limits) {
    TresLimitList resolved = resolve(spec.dimensions, licenses, limits);
    for (TresLimit& limit : resolved) {
        const auto flavor = flavor_in(spec.flavors, limit.tres);
        const bool names_one = limit.kind != TresKind::gres && limit.kind != TresKind::license &&
                               limit.tres.find(':') != std::string::npos;
        if (!flavor && names_one) limit.flavor = kNoSuchFlavor;
        if (!flavor) continue;
        limit.flavor = static_cast<std::uint8_t>(*flavor);
        if (limit.kind != TresKind::gres) continue;
        const std::string_view gres = std::string_view(limit.tres).substr(5);
        limit.of_type = false;
        limit.dimensions = dimensions_named(spec.dimensions, gres.substr(0, gres.find(':')));
    }
    return resolved;
}

bool is_overridden(const TresLimitList& by, const TresLimit& limit) {
    return std::ranges::any_of(by, [&](const TresLimit& one) { return is_same_tres(one, limit); });
}

namespace {

constexpr auto kTresLimitLists =
    std::to_array({&QuotaLimits::group, &QuotaLimits::per_job, &QuotaLimits::per_node,
                   &QuotaLimits::minutes_per_job, &QuotaLimits::per_user, &QuotaLimits::per_account,
                   &QuotaLimits::least_per_job});
constexpr auto kJobCountLimits =
    std::to_array({&QuotaLimits::group_jobs, &QuotaLimits::group_submitted, &QuotaLimits::max_jobs,
                   &QuotaLimits::max_submitted, &QuotaLimits::max_jobs_per_account,
                   &QuotaLimits::max_submitted_per_account});

}  // namespace

QuotaLimits without(QuotaLimits second, const QuotaLimits& first) {
    for (const auto list : kTresLimitLists) {
        std::erase_if(second.*list,
                      [&](const TresLimit& one) { return is_overridden(first.*list, one); });
    }
    for (const auto count : kJobCountLimits) {
        if (first.*count) (second.*count).reset();
    }
    if (first.max_wall) second.max_wall.reset();
    return second;
}

QuotaLimits joined(QuotaLimits one, const QuotaLimits& other) {
    for (const auto list : kTresLimitLists)
        (one.*list).insert((one.*list).end(), (other.*list).begin(), (other.*list).end());
    for (const auto count : kJobCountLimits) {
        if (other.*count) one.*count = other.*count;
    }
    if (other.max_wall) one.max_wall = other.max_wall;
    return one;
}

}  // namespace berth
