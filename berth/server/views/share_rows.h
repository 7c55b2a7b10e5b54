// ShareRow out of an edition: what sshare shows.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

// An account before what is beneath it, its users before its accounts, each by name.
std::vector<api::ShareRow> share_rows(const Snapshot& snapshot, Time now);

// All records of an edition, in the order of their numbers.
std::vector<UsageRecord> usage_of(const Snapshot& snapshot);

}  // namespace berth
