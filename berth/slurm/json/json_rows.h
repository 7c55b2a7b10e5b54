// What --json prints of jobs, nodes, accounts and the rest: slurmrestd's shapes.
#pragma once

#include "berth/slurm/json/slurm_json.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurm {

using slurmrest::put_account;
using slurmrest::put_accounting;
using slurmrest::put_association;
using slurmrest::put_cluster;
using slurmrest::put_diagnostics;
using slurmrest::put_job;
using slurmrest::put_license;
using slurmrest::put_node;
using slurmrest::put_partition;
using slurmrest::put_qos;
using slurmrest::put_reservation;
using slurmrest::put_shares;
using slurmrest::put_user;

}  // namespace berth::slurm
