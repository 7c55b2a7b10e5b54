#include "berth/slurmrest/error_shape.h"

#include <algorithm>
#include <array>

namespace berth::slurmrest {
namespace {

constexpr std::int32_t kInvalidQuery = 9000;

// Codes of refusals (model/reason.h).
struct NumberOfCode {
    std::string_view code;
    std::int32_t number;
};
constexpr auto kNumbers = std::to_array<NumberOfCode>({
    {"already_disabled", 2037},     {"circular_dependency", 2071},
    {"cpus_unavailable", 2014},     {"deadline_too_soon", 2054},
    {"invalid_array", 2081},        {"invalid_dependency", 2038},
    {"invalid_feature", 2029},      {"invalid_license", 2048},
    {"invalid_node_list", 2018},    {"invalid_time", 2054},
    {"invalid_time_min", 2124},     {"job_finished", 2021},
    {"job_limit_reached", 2007},    {"job_not_pending", 2073},
    {"job_not_running", 2085},      {"job_not_suspended", 2087},
    {"job_pending", 2024},          {"job_suspended", 2077},
    {"memory_over_limit", 2044},    {"memory_unavailable", 2014},
    {"no_default_partition", 2001}, {"node_configuration_unavailable", 2014},
    {"nodes_busy", 2016},           {"not_allowed", 2002},
    {"not_supported", 2036},        {"over_limit", 2050},
    {"partition_in_use", 2075},     {"partition_unavailable", 2070},
    {"reservation_access", 2052},   {"reservation_not_usable", 2056},
    {"time_limit_too_long", 2051},  {"too_many_nodes", 2006},
    {"unknown_account", 2045},      {"unknown_gres", 2072},
    {"unknown_job", 2017},          {"unknown_node", 2018},
    {"unknown_partition", 2000},    {"unknown_qos", 2066},
    {"unknown_reservation", 2053},  {"refused_by_site", -1},
    {"too_many_steps", 2076},       {"too_many_tasks", 2025},
});

std::int32_t number_of_status(std::int32_t status) {
    switch (status) {
        case 401: return 9008;  // ESLURM_REST_AUTH_FAIL
        case 403: return 2002;  // ESLURM_ACCESS_DENIED
        case 405: return 9007;  // ESLURM_REST_UNKNOWN_URL_METHOD
        case 413: return 9205;  // ESLURM_DATA_TOO_LARGE
        case 429:
        case 503: return 1804;  // SLURMCTLD_COMMUNICATIONS_BACKOFF
        case 500: return 2090;  // ESLURM_INTERNAL
        case 501: return 2036;  // ESLURM_NOT_SUPPORTED
        case 504: return 1802;  // SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR
        default: return kInvalidQuery;
    }
}

}  // namespace

ErrorEntry error_of(const api::Problem& problem) {
    const auto known = std::ranges::find(kNumbers, problem.code, &NumberOfCode::code);
    ErrorEntry entry{
        .description = problem.detail.empty() ? problem.title : problem.detail,
        .number = known != kNumbers.end() ? known->number : number_of_status(problem.status),
        .error = problem.slurm.empty() ? problem.title : problem.slurm,
        .source = "berthd"};
    for (const std::string& detail : problem.details) entry.description += "; " + detail;
    return entry;
}

}  // namespace berth::slurmrest
