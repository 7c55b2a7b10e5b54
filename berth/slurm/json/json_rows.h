// Jobs, nodes, partitions and accounting records as --json prints each.
#pragma once

#include "berth/api/messages.h"
#include "berth/slurm/json/slurm_json.h"

namespace berth::slurm {

void put_job(SlurmJson& json, const api::JobRow& job, const std::string& cluster);
void put_node(SlurmJson& json, const api::NodeRow& node, const std::string& cluster);
void put_partition(SlurmJson& json, const api::PartitionRow& partition, const std::string& cluster);
void put_accounting(SlurmJson& json, const api::AccountingRow& job, Time now);

}  // namespace berth::slurm
