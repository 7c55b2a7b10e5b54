// NewCluster: the configuration that `berth up` writes where none is given: this machine, once or
// several times over, with the GPUs that it is told of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/result.h"
#include "berth/config/load.h"

namespace berth::cli {

struct NewCluster {
    std::uint32_t nodes = 1;
    std::uint32_t cpus = 0;                    // 0: this machine's, or two a GPU if that is more.
    std::optional<std::string> simulate_gpus;  // "a100:8"; nullopt: those of this machine, if any.
};

struct NewConfig {
    config::ConfigFiles files;  // slurm.conf, gres.conf, cgroup.conf and perhaps berth.yaml.
    std::string summary;        // "1 node, 16 CPUs, gpu:a100:8 (simulated)"
};

Result<NewConfig> new_config(const NewCluster& cluster);

}  // namespace berth::cli
