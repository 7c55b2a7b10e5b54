// The rules of a world where queues lend each other GPUs and take them back: two labs, the teams of
// one of them, and guests; and an operator who changes their quotas. See site.h for the other
// rules.
#pragma once

#include <vector>

#include "berth/model/accounting_edits.h"
#include "berth/sim/sim_workload.h"

namespace berth::sim {

// In place of the accounts that the site has.
ClusterSpec with_lending(ClusterSpec spec, Rng rng);

struct QuotaChange {
    Duration after{};
    AccountingEdits edits;
};
std::vector<QuotaChange> random_quota_changes(const ClusterSpec& spec, Rng rng, Duration within);

}  // namespace berth::sim
