// berth import slurm: a Slurm site's configuration, accounts, QOS, reservations, usage and jobs.
#pragma once

#include <string>

#include "berth/cli/output.h"

namespace berth::cli {

struct ImportOptions {
    std::string conf;                   // Directory with slurm.conf, or a slurm.conf.
    std::string dump, qos;              // Files; empty: not given.
    std::string reservations, usage;    // Likewise.
    std::string state = "no";           // Or "jobs", "running".
    std::string jobs, owners, scripts;  // Two files and a directory.
    std::string new_cluster;            // State directory of a cluster to start and fill.
    bool apply = false, lenient = false;
};
int import_slurm(const ImportOptions& options, Output& output);

}  // namespace berth::cli
