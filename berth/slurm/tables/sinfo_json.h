// `sinfo --json` and `--yaml`: the lines of sinfo as objects.
#pragma once

#include "berth/slurm/json/slurm_json.h"
#include "berth/slurm/tables/sinfo_fields.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// What tells one object's nodes from another's: names of -O.
inline constexpr std::string_view kJsonGroups =
    "cpus,memory,disk,features,gres,gresused,reason,sockets,cores,threads,statecomplete,timestamp,"
    "userlong,weight";

// The whole document.
void put_sinfo(SlurmJson& json, const Invocation& call, const std::string& cluster,
               const std::vector<NodeGroup>& groups);

}  // namespace berth::slurm
