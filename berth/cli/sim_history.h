// History: what a cluster's accounting says was submitted, as a workload.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/store/accounting.h"
#include "berth/workload/workload.h"

namespace berth::cli {

// `directory` holds the store, as berthd's state does.
Result<workload::Workload> read_history(const std::string& directory);
// Of each job its last run; what never ran has nothing to run.
workload::Workload workload_of(const std::vector<AccountingRecord>& records);

}  // namespace berth::cli
