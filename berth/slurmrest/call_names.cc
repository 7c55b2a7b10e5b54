#include "berth/slurmrest/call_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace berth::slurmrest {
namespace {

// What Slurm calls the same. Where it has no such call, ours has a name of its own.
struct CallName {
    std::string_view route, name;
    std::uint32_t id;
};
constexpr auto kCallNames = std::to_array<CallName>({
    {"GET /v1/ping", "REQUEST_PING", 1008},
    {"GET /v1/config", "REQUEST_BUILD_INFO", 2001},
    {"GET /v1/jobs", "REQUEST_JOB_INFO", 2003},
    {"GET /v1/nodes", "REQUEST_NODE_INFO", 2007},
    {"GET /v1/partitions", "REQUEST_PARTITION_INFO", 2009},
    {"GET /v1/jobs/{ref}", "REQUEST_JOB_INFO_SINGLE", 2021},
    {"GET /v1/shares", "REQUEST_SHARE_INFO", 2022},
    {"GET /v1/reservations", "REQUEST_RESERVATION_INFO", 2024},
    {"GET /v1/priorities", "REQUEST_PRIORITY_FACTORS", 2026},
    {"GET /v1/diagnostics", "REQUEST_STATS_INFO", 2035},
    {"GET /v1/nodes/{name}", "REQUEST_NODE_INFO_SINGLE", 2040},
    {"GET /v1/jobs/{ref}/script", "REQUEST_BATCH_SCRIPT", 2051},
    {"PATCH /v1/jobs/{ref}", "REQUEST_UPDATE_JOB", 3001},
    {"PATCH /v1/nodes/{name}", "REQUEST_UPDATE_NODE", 3002},
    {"POST /v1/reservations", "REQUEST_CREATE_RESERVATION", 3006},
    {"POST /v1/reservations/{name}/delete", "REQUEST_DELETE_RESERVATION", 3008},
    {"PATCH /v1/reservations/{name}", "REQUEST_UPDATE_RESERVATION", 3009},
    {"POST /v1/jobs", "REQUEST_SUBMIT_BATCH_JOB", 4003},
    {"POST /v1/jobs/{ref}/steps", "REQUEST_JOB_STEP_CREATE", 5001},
    {"POST /v1/jobs/{ref}/requeue", "REQUEST_JOB_REQUEUE", 5023},
    {"POST /v1/jobs/{ref}/cancel", "REQUEST_KILL_JOB", 5032},
});

// "POST /v1/jobs/{ref}/hold" → "BERTH_POST_JOBS_HOLD"
std::string own_name(std::string_view route) {
    std::string name = "BERTH";
    bool in_braces = false, at_word = true;
    for (const char c : route) {
        if (c == '{' || c == '}') in_braces = c == '{';
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter || in_braces) {
            at_word = true;
            continue;
        }
        if (at_word) name += '_';
        at_word = false;
        name += c >= 'a' ? static_cast<char>(c - 32) : c;
    }
    const std::size_t version = name.find("_V_");
    return version == std::string::npos ? name : name.erase(version, 2);
}

RpcFigures rpc_of(const api::CallFigures& figures) {
    const auto known = std::ranges::find(kCallNames, figures.name, &CallName::route);
    if (known == kCallNames.end()) return {own_name(figures.name), 0, figures.count, figures.total};
    return {std::string(known->name), known->id, figures.count, figures.total};
}

}  // namespace

std::vector<RpcFigures> rpcs_of_calls(const std::vector<api::CallFigures>& calls) {
    std::vector<RpcFigures> rpcs(calls.size());
    std::ranges::transform(calls, rpcs.begin(), rpc_of);
    return rpcs;
}

std::vector<RpcFigures> rpcs_of_users(const std::vector<api::CallFigures>& users) {
    std::vector<RpcFigures> rpcs;
    rpcs.reserve(users.size());
    for (const api::CallFigures& one : users)
        rpcs.push_back({one.name, one.uid, one.count, one.total});
    return rpcs;
}

}  // namespace berth::slurmrest
