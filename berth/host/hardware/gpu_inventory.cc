#include "berth/host/hardware/gpu_inventory.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/host/cgroup/device_files.h"

namespace berth {
namespace {

constexpr std::int32_t kCliqueSize = 4;

class Simulated : public GpuInventory {
public:
    explicit Simulated(std::vector<FoundGpu> gpus) : gpus_(std::move(gpus)) {}
    Result<std::vector<FoundGpu>> gpus() override { return gpus_; }

private:
    std::vector<FoundGpu> gpus_;
};

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
}

Error not_gpus(std::string_view text) {
    return {ErrorCode::invalid_argument, "\"" + std::string(text) +
                                             "\" should be TYPE:COUNT, like a100:8, with at most " +
                                             std::to_string(kDevicesPerNodeMax) + " in all"};
}

void link_cliques(std::vector<FoundGpu>& gpus) {
    const auto count = static_cast<std::int32_t>(gpus.size());
    for (std::int32_t i = 0; i < count; ++i) {
        for (std::int32_t j = 0; j < count; ++j) {
            const bool together =
                i / kCliqueSize == j / kCliqueSize &&
                gpus[static_cast<std::size_t>(i)].type == gpus[static_cast<std::size_t>(j)].type;
            gpus[static_cast<std::size_t>(i)].links.push_back(i == j ? -1 : (together ? 1 : 0));
        }
    }
}

// The cores near GPU i of n: those of its socket.
BitSet cores_of_part(const NodeSpec& node, std::size_t i, std::size_t n) {
    BitSet cores(node.cores());
    const std::size_t socket = i * node.sockets / n;
    for (std::size_t core = 0; core < node.cores_per_socket; ++core) {
        cores.set(socket * node.cores_per_socket + core);
    }
    return cores;
}

}  // namespace

Result<std::unique_ptr<GpuInventory>> simulate_gpus(std::string_view text) {
    std::vector<FoundGpu> gpus;
    for (const std::string_view part : split(text, ',')) {
        const auto words = split(part, ':');
        if (words.size() != 2 || !is_name(words[0])) return not_gpus(text);
        const auto count = parse_int64(words[1]);
        const auto room = static_cast<std::int64_t>(kDevicesPerNodeMax - gpus.size());
        if (!count.ok() || *count < 1 || *count > room) return not_gpus(text);
        for (std::int64_t i = 0; i < *count; ++i) {
            gpus.emplace_back().type = words[0];
        }
    }
    link_cliques(gpus);
    return std::unique_ptr<GpuInventory>(std::make_unique<Simulated>(std::move(gpus)));
}

Status add_gpus(NodeSpec& node, Dimensions& dimensions, const std::vector<FoundGpu>& gpus,
                const Machine* machine) {
    if (node.devices.size() + gpus.size() > kDevicesPerNodeMax) {
        return Error{ErrorCode::resource_exhausted,
                     "a node has at most " + std::to_string(kDevicesPerNodeMax) + " devices"};
    }
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const auto dimension = dimensions.intern("gpu", gpus[i].type);
        if (!dimension) {
            return Error{ErrorCode::resource_exhausted,
                         "too many kinds of GRES for gpu:" + gpus[i].type};
        }
        Device& device = node.devices.emplace_back();
        device.dimension = *dimension;
        device.index = static_cast<std::uint32_t>(i);
        device.file = gpus[i].file;
        device.uuid = gpus[i].uuid;
        device.links = gpus[i].links;
        if (machine != nullptr && !gpus[i].cpus.empty()) {
            device.cores = cores_of_cpus(gpus[i].cpus, *machine);
        } else if (gpus[i].file.empty()) {
            device.cores = cores_of_part(node, i, gpus.size());
        }
        node.capacity[*dimension] += 1;
        if (i == 0 || gpus[i].type != gpus[i - 1].type) {
            const auto same = std::ranges::count(gpus, gpus[i].type, &FoundGpu::type);
            node.gres_text += (node.gres_text.empty() ? "gpu:" : ",gpu:") + gpus[i].type +
                              (gpus[i].type.empty() ? "" : ":") + std::to_string(same);
        }
    }
    return Done{};
}

void name_mig_instances(NodeSpec& node, const std::vector<FoundGpu>& found) {
    for (Device& device : node.devices) {
        if (!is_mig(device)) continue;
        for (const FoundGpu& gpu : found) {
            if (same_files(gpu.file, device.file)) device.uuid = gpu.uuid;
        }
    }
}

}  // namespace berth
