// NewCluster: the configuration that `berth up` writes where none is given: this machine, once or
// several times over, with the GPUs that it is told of.
#pragma once

#include <filesystem>
#include <string>

#include "berth/base/result.h"

namespace berth::cli {

struct NewCluster {
    std::uint32_t nodes = 1;
    std::uint32_t cpus = 0;     // 0: this machine's, or two a GPU if that is more.
    std::string simulate_gpus;  // "a100:8"; empty: the GPUs that /dev shows, if any.
};

struct WrittenCluster {
    bool emulated =
        false;            // It has more cores or GPUs than this machine: nothing is pinned to them.
    std::string summary;  // "1 node, 16 CPUs, 8 × a100 (simulated)"
};

// slurm.conf, gres.conf and cgroup.conf in `directory`.
Result<WrittenCluster> write_configuration(const std::filesystem::path& directory,
                                           const NewCluster& cluster);

}  // namespace berth::cli
