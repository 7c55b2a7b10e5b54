// Admission: the terms of a job: licenses, deadline, least time, reservation.
#include "berth/base/duration_text.h"
#include "berth/base/text.h"

#include <algorithm>

#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/limits/flavor_choices.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/placement/demand.h"

namespace berth {
namespace {

std::string license_names(const std::vector<LicenseSpec>& licenses) {
    std::string names;
    for (const LicenseSpec& one : licenses) names += (names.empty() ? "" : ", ") + one.name;
    return names.empty() ? "none" : names;
}

Refusing invalid_license(std::string message) {
    return {.why = Refusal::invalid_license, .message = std::move(message)};
}

std::optional<Refusing> check_license(const ClusterSpec& spec, const LicenseCount& one) {
    const auto known = std::ranges::find(spec.licenses, one.name, &LicenseSpec::name);
    if (known == spec.licenses.end()) {
        return invalid_license("there is no license '" + one.name +
                               "'; there are: " + license_names(spec.licenses));
    }
    if (one.count >= 0 && one.count <= known->total) return std::nullopt;
    return invalid_license(std::to_string(one.count) + " of license " + one.name +
                           "; the cluster has " + std::to_string(known->total));
}

// Refuses a job that could not end by its deadline even if it started at once.
Objection check_deadline(const Job& job, Time from) {
    const JobSpec& spec = job.spec;
    if (*spec.deadline <= from) {
        return Refusing{
            .why = Refusal::deadline_too_soon,
            .message = "the deadline is over before the job could begin; name a later one"};
    }
    const Duration least = spec.time_min.value_or(job.time_limit);
    if (least == Duration::max()) {
        return Refusing{.why = Refusal::time_limit_too_long,
                        .message =
                            "a job with a deadline needs a time limit: say --time or "
                            "--time-min (partition " +
                            spec.partition + " has no default)"};
    }
    const Duration left = *spec.deadline - from;
    if (least <= left) return std::nullopt;
    return Refusing{.why = spec.time_min ? Refusal::invalid_time_min : Refusal::time_limit_too_long,
                    .message = std::string(spec.time_min ? "the least time" : "the time limit") +
                               " of " + format_duration(least) + " is longer than the " +
                               format_duration(left) + " from the earliest start to the deadline"};
}

// Those that the job may use, for a message.
std::string usable_reservations(const ClusterState& state, const Job& job,
                                const std::vector<std::string>* groups) {
    constexpr std::size_t kMost = 20;
    std::vector<std::string> names;
    for (const auto& [name, reservation] : state.reservations()) {
        if (!may_use(reservation, job, groups)) continue;
        names.push_back(names.size() < kMost ? name : "...");
        if (names.size() > kMost) break;
    }
    return names.empty() ? "none" : join(names, ", ");
}

}  // namespace

Objection check_licenses(const ClusterSpec& spec, const Job& job) {
    const LicenseRequest& request = job.spec.request->licenses;
    if (request.counts.size() > kLicensesMax) {
        return invalid_license("more than " + std::to_string(kLicensesMax) + " kinds of license");
    }
    for (const LicenseCount& one : request.counts) {
        if (auto no = check_license(spec, one)) return no;
    }
    return std::nullopt;
}

Objection check_time_terms(Time now, Job& job) {
    JobSpec& spec = job.spec;
    if (spec.time_min && *spec.time_min <= Duration::zero()) spec.time_min.reset();
    if (spec.time_min) {
        spec.time_min = round_up_to_minute(std::min(*spec.time_min, kTimeMinMax));
        if (*spec.time_min > job.time_limit) {
            return Refusing{.why = Refusal::invalid_time_min,
                            .message = "the least time of " + format_duration(*spec.time_min) +
                                       " is above the time limit of " +
                                       format_duration(job.time_limit)};
        }
    }
    if (!spec.deadline) return std::nullopt;
    return check_deadline(job, std::max(now, spec.begin.value_or(now)));
}

Objection check_reservation(const ClusterState& state, Time now, const Job& job,
                            const std::vector<std::string>* groups) {
    const std::string& name = job.spec.request->reservation;
    if (name.empty()) return std::nullopt;
    const Reservation* reservation = state.reservations().find(name);
    if (reservation == nullptr) {
        return Refusing{.why = Refusal::unknown_reservation,
                        .message = "there is no reservation '" + name + "'; open to this job: " +
                                   usable_reservations(state, job, groups)};
    }
    if (!may_use(*reservation, job, groups)) {
        return Refusing{.why = Refusal::reservation_access,
                        .message = "reservation " + name + " is not open to user " +
                                   job.owner->user + " in account '" + job.spec.account + "'"};
    }
    if (reservation->repeat == Repeat::never && reservation->end <= now) {
        return Refusing{.why = Refusal::reservation_not_usable,
                        .message = "reservation " + name + " is over"};
    }
    return std::nullopt;
}

// Slurm prints the reason before its own message.
Objection check_limits(const ClusterState& state, const Job& job, const Job* moved) {
    if (!state.quota().enforced()) return std::nullopt;
    const Demand demand = demand_of(state.spec(), job);
    const std::string gres = untyped_under_quota(state, job, demand);
    if (!gres.empty() && flavor_choices_of(state, job).empty()) {
        return Refusing{
            .why = Refusal::over_limit,
            .message = "queue " + job.spec.account + " has quotas by type of " + gres +
                       "; name the type, as in --gres=gpu:a100:1",
            .details = {std::string(slurm_name(reason_for(PendingReason::assoc_grp, gres)))}};
    }
    const auto excess = limit_on_submission(state, job, demand, moved);
    if (!excess) return std::nullopt;
    return Refusing{.why = Refusal::over_limit,
                    .message = in_words(*excess),
                    .details = {std::string(slurm_name(excess->reason))}};
}

}  // namespace berth
