// ShareRow from a snapshot: what sshare shows.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// Each account before its children, its users before its accounts, each by name.
std::vector<api::ShareRow> share_rows(const Snapshot& snapshot, Time now);

// All usage records of a snapshot, in the order of their numbers.
std::vector<UsageRecord> usage_of(const Snapshot& snapshot);

}  // namespace berth
