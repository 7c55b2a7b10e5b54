#include "berth/host/hardware/describe.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "berth/host/cgroup/device_files.h"

namespace berth {
namespace {

constexpr std::int64_t kMib = 1024 * 1024;

// The device files that the driver has created, if its library is missing.
std::vector<FoundGpu> gpus_of_dev() {
    std::vector<FoundGpu> gpus;
    for (std::size_t i = 0; i < kDevicesPerNodeMax; ++i) {
        const std::string path = "/dev/nvidia" + std::to_string(i);
        std::error_code ignored;
        if (std::filesystem::exists(path, ignored)) gpus.emplace_back().file = path;
    }
    return gpus;
}

std::string row(const std::vector<std::int32_t>& links) {
    std::string text;
    for (const std::int32_t count : links) {
        text += (text.empty() ? "" : ",") + std::to_string(count);
    }
    return text;
}

}  // namespace

Result<DescribedNode> describe(const Machine& machine, const std::vector<FoundGpu>& gpus,
                               const std::string& name) {
    DescribedNode described{node_of(machine, name), {}};
    BERTH_CHECK(add_gpus(described.node, described.dimensions, gpus, &machine));
    return described;
}

Result<std::vector<FoundGpu>> find_gpus(const char* library) {
    Result<std::unique_ptr<GpuInventory>> driver = open_nvml(library);
    if (driver.ok()) return (*driver)->gpus();
    if (driver.error().code == ErrorCode::not_found) return gpus_of_dev();
    return driver.error();
}

std::string shape_line(const DescribedNode& described) {
    const NodeSpec& node = described.node;
    return "CPUs=" + std::to_string(node.cpus()) + " Sockets=" + std::to_string(node.sockets) +
           " CoresPerSocket=" + std::to_string(node.cores_per_socket) +
           " ThreadsPerCore=" + std::to_string(node.threads_per_core);
}

std::string node_line(const DescribedNode& described) {
    const NodeSpec& node = described.node;
    return "NodeName=" + node.name + " " + shape_line(described) +
           " RealMemory=" + std::to_string(node.memory.count() / kMib) +
           (node.gres_text.empty() ? "" : " Gres=" + node.gres_text) + "\n";
}

std::string gres_lines(const DescribedNode& described) {
    std::string text;
    for (const Device& device : described.node.devices) {
        const Dimension& gres = described.dimensions.at(device.dimension);
        text += "Name=" + gres.name + (gres.type.empty() ? "" : " Type=" + gres.type) +
                (is_mig(device) ? " MultipleFiles=" : " File=") + device.file;
        if (device.cores.count() > 0) text += " Cores=" + device.cores.to_list();
        if (!device.links.empty()) text += " Links=" + row(device.links);
        text += "\n";
    }
    return text;
}

std::string type_lines(const std::vector<FoundGpu>& gpus) {
    std::map<std::string, const FoundGpu*> types;
    for (const FoundGpu& gpu : gpus) {
        if (!gpu.type.empty() && gpu.memory.count() > 0) types.try_emplace(gpu.type, &gpu);
    }
    std::string text;
    for (const auto& [type, gpu] : types) {
        const std::uint32_t capability = gpu->compute_capability;
        text += "  " + type + ": {memory: " + std::to_string(gpu->memory.count() / kMib) + "M";
        if (capability > 0) {
            text += ", compute_capability: " + std::to_string(capability / 10) + "." +
                    std::to_string(capability % 10);
        }
        text += "}\n";
    }
    return text.empty() ? text : "gpu_types:\n" + text;
}

}  // namespace berth
