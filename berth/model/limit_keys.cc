#include "berth/model/limit_keys.h"

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"

namespace berth {
namespace {

constexpr unsigned kBoth = kOfAssociation | kOfQos;

constexpr auto kKeys = std::to_array<LimitKey>({
    {"GrpJobs", "GrpJobs", "grp_jobs", 7, kBoth, nullptr, &Limits::group_jobs},
    {"GrpTRES", "GrpTRES", "grp_tres", 13, kBoth, &Limits::group_tres, nullptr},
    {"GrpSubmitJobs,GrpSubmit", "GrpSubmit", "grp_submit_jobs", 9, kBoth, nullptr,
     &Limits::group_submitted},
    {"MaxJobs", "MaxJobs", "max_jobs", 7, kOfAssociation, nullptr, &Limits::max_jobs},
    {"MaxTRES,MaxTRESPerJob,MaxTRESPJ", "MaxTRES", "max_tres", 13, kBoth, &Limits::max_tres_per_job,
     nullptr},
    {"MaxTRESPerNode,MaxTRESPN", "MaxTRESPerNode", "max_tres_per_node", 14, kBoth,
     &Limits::max_tres_per_node, nullptr},
    {"MaxSubmitJobs,MaxSubmit", "MaxSubmit", "max_submit_jobs", 9, kOfAssociation, nullptr,
     &Limits::max_submitted},
    {"MaxWall,MaxWallDurationPerJob,MaxWallPJ", "MaxWall", "max_wall", 11, kOfAssociation, nullptr,
     nullptr, &Limits::max_wall},
    {"GrpWall", "GrpWall", "grp_wall", 11, kOfAssociation, nullptr, nullptr, &Limits::group_wall},
    {"GrpTRESMins", "GrpTRESMins", "grp_tres_minutes", 13, kOfAssociation,
     &Limits::group_tres_minutes, nullptr},
    {"MaxTRESMins,MaxTRESMinsPerJob,MaxTRESMinsPJ", "MaxTRESMins", "max_tres_minutes", 13, kBoth,
     &Limits::max_tres_minutes_per_job, nullptr},
    {"MaxTRESPerUser,MaxTRESPU", "MaxTRESPU", "max_tres_per_user", 13, kOfQos,
     &Limits::max_tres_per_user, nullptr},
    {"MaxJobsPerUser,MaxJobsPU,MaxJobs", "MaxJobsPU", "max_jobs_per_user", 9, kOfQos, nullptr,
     &Limits::max_jobs},
    {"MaxSubmitJobsPerUser,MaxSubmitPU,MaxSubmitJobsPU,MaxSubmitJobs", "MaxSubmitPU",
     "max_submit_jobs_per_user", 11, kOfQos, nullptr, &Limits::max_submitted},
    {"MaxTRESPerAccount,MaxTRESPA", "MaxTRESPA", "max_tres_per_account", 13, kOfQos,
     &Limits::max_tres_per_account, nullptr},
    {"MaxJobsPerAccount,MaxJobsPA", "MaxJobsPA", "max_jobs_per_account", 9, kOfQos, nullptr,
     &Limits::max_jobs_per_account},
    {"MaxSubmitJobsPerAccount,MaxSubmitPA,MaxSubmitJobsPA", "MaxSubmitPA",
     "max_submit_jobs_per_account", 11, kOfQos, nullptr, &Limits::max_submitted_per_account},
    {"MinTRES,MinTRESPerJob,MinTRESPJ", "MinTRES", "min_tres", 13, kOfQos,
     &Limits::min_tres_per_job, nullptr},
});

constexpr auto kUnbuilt = std::to_array<std::string_view>(
    {"GrpTRESMins", "GrpTRESRunMins", "GrpWall", "GrpJobsAccrue", "MaxJobsAccrue",
     "MaxJobsAccruePerUser", "MaxJobsAccruePerAccount", "MaxTRESRunMinsPerUser",
     "MaxTRESRunMinsPerAccount", "MinPrioThreshold", "UsageThreshold", "LimitFactor"});

bool names_license(const TresLimits& counts) {
    return std::ranges::any_of(
        counts, [](const auto& one) { return kind_of_tres(one.first) == TresKind::license; });
}

Error wrong_limit(const LimitKey& key, std::string_view value, std::string_view right) {
    return {ErrorCode::invalid_argument, std::string(key.name()) + "=" + std::string(value) +
                                             " should be " + std::string(right)};
}

}  // namespace

std::span<const LimitKey> limit_keys() { return kKeys; }

const LimitKey* find_limit_key(std::string_view name, unsigned of) {
    for (const LimitKey& key : kKeys) {
        if ((key.of & of) == 0) continue;
        for (const auto one : split(key.names, ',')) {
            if (iequals(one, name)) return &key;
        }
    }
    return nullptr;
}

const LimitKey* find_limit_yaml(std::string_view name, unsigned of) {
    const auto found = std::ranges::find_if(
        kKeys, [&](const LimitKey& key) { return (key.of & of) != 0 && key.yaml == name; });
    return found == kKeys.end() ? nullptr : &*found;
}

bool is_unbuilt_limit(std::string_view name) {
    return std::ranges::any_of(kUnbuilt, [&](auto one) { return iequals(one, name); });
}

Status set_limit(Limits& limits, const LimitKey& key, std::string_view value) {
    if (key.tres != nullptr) {
        const auto counts = parse_tres_counts(value);
        if (!counts) return wrong_limit(key, value, "a list like cpu=4,mem=16G,gres/gpu=2");
        if (key.tres == &Limits::group_tres_minutes && names_license(*counts))
            return wrong_limit(key, value, "of other TRES: the use of licenses is not added up");
        limits.*key.tres = changed(limits.*key.tres, *counts);
        return Done{};
    }
    if (key.count != nullptr) {
        const auto count = parse_int64(value);
        if (!count.ok() || count.value() < -1 || count.value() > INT32_MAX) {
            return wrong_limit(key, value, "a whole number, or -1 for no limit");
        }
        (limits.*key.count).reset();
        if (count.value() >= 0) limits.*key.count = static_cast<std::uint32_t>(count.value());
        return Done{};
    }
    const auto limit = parse_time_limit(value);
    if (!limit.ok()) return wrong_limit(key, value, "a time like 1-12:00:00, or -1 for no limit");
    limits.*key.time = limit.value();
    return Done{};
}

std::string limit_text(const Limits& limits, const LimitKey& key) {
    if (key.tres != nullptr) return to_text(limits.*key.tres);
    if (key.count != nullptr) {
        const auto& count = limits.*key.count;
        return count ? std::to_string(*count) : std::string();
    }
    const auto& time = limits.*key.time;
    return time ? format_duration(*time) : std::string();
}

}  // namespace berth
