// scontrol create|update partition: its KEY=VALUE words as one change.
#pragma once

#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

// The partition that the words name: "PartitionName=x" or "partition=x"; empty: none.
std::string partition_named(const std::vector<std::string>& words);

// The words after "create", "update" or "delete".
Result<api::PartitionCall> parse_partition(const std::vector<std::string>& words);

}  // namespace berth::slurm
