// Load: slurm.conf, gres.conf, cgroup.conf, topology.conf and berth.yaml into one ClusterSpec, with
// findings at file and line. On texts: nothing here reads a disk (files.h does).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/config/finding.h"
#include "berth/config/lines.h"
#include "berth/model/cluster_spec.h"

namespace berth::config {

struct ConfigFiles {
    std::optional<ConfigText> slurm, gres, cgroup, topology, berth;
    std::vector<ConfigText> included;  // What `Include NAME` may name.
};

struct Loaded {
    ClusterSpec spec;  // As far as it could be read, errors or not.
    std::vector<Finding> findings;
    bool has_errors = false;
};

Loaded load(const ConfigFiles& files);

}  // namespace berth::config
