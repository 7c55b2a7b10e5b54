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
    std::vector<ConfigText> included;      // What `Include NAME` may name.
    std::optional<ConfigText> job_submit;  // job_submit.lua, which is taken as it is.
};

struct Loaded {
    ClusterSpec spec;  // As far as it could be read, errors or not.
    std::vector<Finding> findings;
    bool has_errors = false;
};

Loaded load(const ConfigFiles& files);

// The same with another policy: what a policy file says stands above what the files say. It is a
// piece of slurm.conf or, if its name ends in .yaml or .yml, of berth.yaml, with nothing in it but
// who comes first and how far is planned. With an error in it nothing else is read.
Loaded load_with_policy(const ConfigFiles& files, const ConfigText& policy);

}  // namespace berth::config
