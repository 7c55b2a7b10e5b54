// Describe: this machine as slurm.conf, gres.conf and berth.yaml describe nodes. For `berth detect`
// and for the configuration that `berth up` writes.
#pragma once

#include <string>

#include "berth/base/result.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct DescribedNode {
    NodeSpec node;
    Dimensions dimensions;  // Those of its devices.
};

// The machine and its GPUs as one node. REQUIRES: `gpus` is ordered by minor number, as
// GpuInventory returns them.
Result<DescribedNode> describe(const Machine& machine, const std::vector<FoundGpu>& gpus,
                               const std::string& name);

// The GPUs that the driver lists. Without a driver: the /dev/nvidiaN files that exist, with nothing
// else known about them. Empty: no GPU.
Result<std::vector<FoundGpu>> find_gpus(const char* library = "libnvidia-ml.so.1");

std::string shape_line(const DescribedNode& described);  // CPUs=… Sockets=…; a part of node_line():
std::string node_line(const DescribedNode& described);   // NodeName=… CPUs=…, one line
std::string gres_lines(const DescribedNode& described);  // Name=gpu File=…, one for each GPU
std::string type_lines(const std::vector<FoundGpu>& gpus);  // gpu_types: of berth.yaml; or nothing

}  // namespace berth
