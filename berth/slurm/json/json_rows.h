// Jobs, nodes, partitions, records of accounting, accounts and shares as --json prints each.
#pragma once

#include "berth/api/messages.h"
#include "berth/slurm/json/slurm_json.h"

namespace berth::slurm {

void put_job(SlurmJson& json, const api::JobRow& job, const std::string& cluster);
void put_node(SlurmJson& json, const api::NodeRow& node, const std::string& cluster);
void put_partition(SlurmJson& json, const api::PartitionRow& partition, const std::string& cluster);
void put_accounting(SlurmJson& json, const api::AccountingRow& job, Time now);

// Of sacctmgr. An association with what it has from the accounts above it.
struct AssociationJson {
    const api::AssociationRow& row;
    const std::string& cluster;
    Limits limits;
    std::vector<std::string> qos;
    std::string default_qos, lineage;  // "/bio/cells/0-ada/"
};
void put_association(SlurmJson& json, const AssociationJson& association);
// `associations`: its own, or none where they are not asked for.
void put_account(SlurmJson& json, const api::AssociationRow& account, const std::string& cluster,
                 const std::vector<const api::AssociationRow*>& associations);
void put_user(SlurmJson& json, const api::AssociationRow& user, const std::string& default_account,
              const std::string& cluster,
              const std::vector<const api::AssociationRow*>& associations);
void put_qos(SlurmJson& json, const api::QosRow& qos);
void put_cluster(SlurmJson& json, const std::string& cluster, const std::string& host);

// Of sshare and sdiag.
void put_share(SlurmJson& json, const api::ShareRow& share);
// A kind of call by Slurm's name and number; 0: it has none.
struct RpcJson {
    std::string name;
    std::int64_t id = 0, count = 0, total = 0;
    bool is_user = false;
};
void put_diagnostics(SlurmJson& json, const api::DiagnosticsRow& row,
                     const std::vector<RpcJson>& calls);

}  // namespace berth::slurm
