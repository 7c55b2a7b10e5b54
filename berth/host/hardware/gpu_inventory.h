// GpuInventory: which GPUs this machine has: from NVIDIA's library, opened at run time, or
// simulated.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/node.h"

namespace berth {

struct FoundGpu {
    // "nvidia_h100_80gb_hbm3": the product name as Slurm's AutoDetect writes it.
    std::string type;
    std::string file;  // "/dev/nvidia0"; all files of a MIG instance; empty: simulated.
    std::string uuid;
    Bytes memory;
    std::vector<int> cpus;  // CPUs near the GPU, in the operating system's numbers; empty: unknown.
    std::vector<std::int32_t> links;       // NVLinks to each other GPU; -1 at its own index.
    std::uint32_t compute_capability = 0;  // In tenths; 0: unknown.
};

class GpuInventory {
public:
    virtual ~GpuInventory() = default;
    // By minor number, which is part of the file's name.
    virtual Result<std::vector<FoundGpu>> gpus() = 0;
};

// Uses NVML. `not_found` if there is no such library, hence no driver. A GPU that is partitioned
// into MIG instances is not listed; its instances are. Their files come from the driver's list of
// minor numbers.
inline constexpr const char* kNvml = "libnvidia-ml.so.1";
inline constexpr const char* kMigMinors = "/proc/driver/nvidia-caps/mig-minors";
Result<std::unique_ptr<GpuInventory>> open_nvml(const char* library = kNvml,
                                                const char* mig_minors = kMigMinors);

// Parses "a100:8" or "a100:4,h100:4": GPUs without device files, at most 64. They form NVLink
// cliques of four, and each socket's cores are near an equal share of them.
Result<std::unique_ptr<GpuInventory>> simulate_gpus(std::string_view text);

// Adds GPUs to a node by the rules of gres.conf: "gpu" of each type, indexed by order. The cores
// near a GPU come from the machine; if unknown, the GPUs are spread evenly over the sockets.
Status add_gpus(NodeSpec& node, Dimensions& dimensions, const std::vector<FoundGpu>& gpus,
                const Machine* machine);

// Sets the driver's names of a node's MIG instances, by which CUDA finds them; gres.conf does not
// have them. An instance that the driver does not list gets no name.
void name_mig_instances(NodeSpec& node, const std::vector<FoundGpu>& found);

}  // namespace berth
