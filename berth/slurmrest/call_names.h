// CallNames: calls of /v1 by the names and numbers of Slurm's RPCs, for its statistics.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/api/diagnostics_messages.h"

namespace berth::slurmrest {

// A kind of call by Slurm's name and number, 0: Slurm has no such call, and its name is Berth's;
// or a user's calls, by name and uid.
struct RpcFigures {
    std::string name;
    std::int64_t id = 0, count = 0, total = 0;  // In all, in microseconds.
};

std::vector<RpcFigures> rpcs_of_calls(const std::vector<api::CallFigures>& calls);
std::vector<RpcFigures> rpcs_of_users(const std::vector<api::CallFigures>& users);

}  // namespace berth::slurmrest
