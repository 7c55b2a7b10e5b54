// GpuInventory: which GPUs are there. From NVIDIA's library, opened at run time, or made up.
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
    std::string
        type;  // "nvidia_h100_80gb_hbm3": the product's name as Slurm's AutoDetect writes it.
    std::string file;  // "/dev/nvidia0"; of a MIG instance all of its files; empty: simulated.
    std::string uuid;
    Bytes memory;
    std::vector<int> cpus;                 // Near it, in the system's numbers; empty: unknown.
    std::vector<std::int32_t> links;       // NVLinks to each of the others, -1 at its own place.
    std::uint32_t compute_capability = 0;  // In tenths; 0: unknown.
};

class GpuInventory {
public:
    virtual ~GpuInventory() = default;
    virtual Result<std::vector<FoundGpu>>
    gpus() = 0;  // By minor number, which the file's name has.
};

// NVML. `not_found` where there is no such library, so no driver. A GPU that is cut into MIG
// instances is not listed, they are; their files are in the driver's list of minor numbers.
inline constexpr const char* kNvml = "libnvidia-ml.so.1";
inline constexpr const char* kMigMinors = "/proc/driver/nvidia-caps/mig-minors";
Result<std::unique_ptr<GpuInventory>> open_nvml(const char* library = kNvml,
                                                const char* mig_minors = kMigMinors);

// "a100:8", "a100:4,h100:4": GPUs that are only counted, 64 at most. In NVLink cliques of four,
// each socket's cores near an equal part of them.
Result<std::unique_ptr<GpuInventory>> simulate_gpus(std::string_view text);

// Puts GPUs into a node, by the rules of gres.conf: "gpu" of each type, index by order. The cores
// near a GPU come from the machine; where they are not known, from its part of the sockets.
Status add_gpus(NodeSpec& node, Dimensions& dimensions, const std::vector<FoundGpu>& gpus,
                const Machine* machine);

// Gives a node's MIG instances the driver's names, which CUDA finds them by: gres.conf does not
// have them. An instance that the driver does not list stays without a name.
void name_mig_instances(NodeSpec& node, const std::vector<FoundGpu>& found);

}  // namespace berth
