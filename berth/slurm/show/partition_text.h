// PartitionText: the properties of a partition by their keys, as scontrol and sinfo print them.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "berth/api/messages.h"

namespace berth::slurm {

// "DefaultTime": "1-00:00:00". The keys are those of slurm.conf, and TotalCPUs, TotalNodes and
// TRES.
std::string partition_text(const api::PartitionRow& partition, std::string_view key);

// Whether it has a list or an amount there, not "ALL" or "UNLIMITED".
bool has_value(const api::PartitionRow& partition, std::string_view key);

// As `scontrol show partition` prints it.
void print_partition(std::ostream& out, const api::PartitionRow& partition, bool one_line);

}  // namespace berth::slurm
