#include "berth/model/new_node.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth {
namespace {

// Far above what any machine has, and so low that sums of them cannot overflow.
constexpr std::uint32_t kCpusMax = 1 << 16, kPartsMax = 1 << 10;
constexpr std::int64_t kMemoryMax = std::int64_t{1} << 50, kGresMax = 1'000'000;
constexpr std::size_t kGresKindsMax = 16, kFeaturesMax = 64, kTextMax = 255, kLinksMax = 64;
constexpr std::int32_t kLinkCountMax = 1000;

bool is_plain(const std::string& text, std::string_view more) {
    return !text.empty() && text.size() <= kTextMax && std::ranges::all_of(text, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               more.find(c) != std::string_view::npos;
    });
}

// The number behind the prefix; nullopt: it is none.
std::optional<std::int64_t> number_behind(std::string_view prefix, std::string_view file) {
    constexpr std::size_t kDigitsMax = 4;
    if (!file.starts_with(prefix)) return std::nullopt;
    file.remove_prefix(prefix.size());
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (file.size() > kDigitsMax || !std::ranges::all_of(file, is_digit)) return std::nullopt;
    const auto number = parse_int64(file);
    return number.ok() ? std::optional(*number) : std::nullopt;
}

// What jobs may then open: NVIDIA's own and nothing else. A MIG instance has three: its board's and
// two capabilities. The first two capabilities there are, 1 and 2, are to cut and to watch all.
bool is_gpu_file(std::string_view files) {
    const auto all = split(files, ',');
    if (all.size() == 1) return number_behind("/dev/nvidia", files).has_value();
    constexpr std::size_t kOfInstance = 3;
    std::size_t boards = 0;
    for (const std::string_view file : all) {
        if (number_behind("/dev/nvidia", file)) {
            ++boards;
        } else if (number_behind("/dev/nvidia-caps/nvidia-cap", file).value_or(0) <= 2) {
            return false;
        }
    }
    return boards == 1 && all.size() == kOfInstance;
}

Status check_shape(const NewNode& node) {
    for (const std::uint32_t part :
         {node.boards, node.sockets, node.cores_per_socket, node.threads_per_core}) {
        if (part == 0 || part > kPartsMax) {
            return invalid_argument(
                "Sockets, CoresPerSocket, ThreadsPerCore and Boards go from 1 to " +
                std::to_string(kPartsMax));
        }
    }
    if (std::uint64_t{node.sockets} * node.cores_per_socket * node.threads_per_core > kCpusMax)
        return invalid_argument("a node has " + std::to_string(kCpusMax) + " CPUs at most");
    for (const std::int64_t amount : {node.memory, node.tmp_disk}) {
        if (amount < 0 || amount > kMemoryMax)
            return invalid_argument("RealMemory or TmpDisk is too large");
    }
    return Done{};
}

Status check_words(const NewNode& node) {
    if (node.features.size() > kFeaturesMax)
        return invalid_argument("a node has " + std::to_string(kFeaturesMax) + " features at most");
    for (const std::string& feature : node.features) {
        if (!is_plain(feature, "_-.:="))
            return invalid_argument("Features: '" + feature + "' is no word");
    }
    for (const std::string& where : {node.hostname, node.address}) {
        if (!where.empty() && !is_plain(where, "_-.:[]"))
            return invalid_argument("'" + where + "' is no host's name or address");
    }
    if (!node.state.empty() && !iequals(node.state, "CLOUD") && !iequals(node.state, "FUTURE"))
        return invalid_argument("State=" + node.state + " should be CLOUD or FUTURE");
    return Done{};
}

Status check_gres(const NewNode& node) {
    if (node.gres.size() > kGresKindsMax) {
        return invalid_argument("a node has " + std::to_string(kGresKindsMax) +
                                " kinds of GRES at most");
    }
    for (const NewGres& gres : node.gres) {
        if (!is_plain(gres.name, "_-.") || (!gres.type.empty() && !is_plain(gres.type, "_-.")) ||
            gres.count < 0 || gres.count > kGresMax) {
            return invalid_argument("Gres=" + gres.name + ":" + gres.type + ":" +
                                    std::to_string(gres.count) +
                                    " should be NAME[:TYPE][:COUNT], like gpu:a100:8");
        }
        if (is_share_name(gres.name)) {
            return invalid_argument(
                "Gres=" + gres.name +
                ": parts of GPUs are of configured nodes only; give whole GPUs");
        }
    }
    return Done{};
}

Status check_device(const Device& device, const NodeSpec& node) {
    const auto is_count = [](std::int32_t n) { return n >= -1 && n <= kLinkCountMax; };
    if (!device.file.empty() && !is_gpu_file(device.file)) {
        return invalid_argument("'" + device.file.substr(0, kTextMax) +
                                "' is no GPU's device file");
    }
    if (!device.uuid.empty() && !is_plain(device.uuid, "-_/"))
        return invalid_argument("a device's UUID is none");
    if (device.links.size() > kLinksMax || !std::ranges::all_of(device.links, is_count))
        return invalid_argument("a device's NVLinks are none");
    const std::size_t cores = device.cores.size();
    if (cores != 0 && cores != node.cores())
        return invalid_argument("a device is near cores that the node has not");
    if (device.memory < Bytes(0) || device.memory > Bytes(kMemoryMax))
        return invalid_argument("a device's memory is too large");
    return Done{};
}

// Those that it says it has of this kind, and, of GPUs, as many more as are counted.
Status add_devices(NodeSpec& node, const NewGres& gres, DimensionId dimension,
                   const JoiningNode& from) {
    const auto of_name = [&](const Device& device) {
        return device.dimension.index() < from.dimensions.size() &&
               from.dimensions.at(device.dimension).name == gres.name;
    };
    const auto of_kind = [&](const Device& device) {
        return of_name(device) &&
               (gres.type.empty() || from.dimensions.at(device.dimension).type == gres.type);
    };
    std::int64_t added = 0;
    for (const Device& device : from.devices) {
        if (added == gres.count || !of_kind(device)) continue;
        BERTH_CHECK(check_device(device, node));
        Device own = device;
        own.dimension = dimension;
        own.shares.clear();
        node.devices.push_back(std::move(own));
        ++added;
    }
    for (; gres.name == "gpu" && added < gres.count; ++added)
        node.devices.push_back({.dimension = dimension});
    if (node.devices.size() <= kDevicesPerNodeMax) return Done{};
    return invalid_argument("a node has " + std::to_string(kDevicesPerNodeMax) +
                            " devices at most");
}

// By GRES name, each name's counted from 0.
void number_devices(NodeSpec& node, const Dimensions& dimensions) {
    const auto name_of = [&](const Device& device) { return dimensions.at(device.dimension).name; };
    std::ranges::stable_sort(node.devices, {}, name_of);
    std::uint32_t index = 0;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        if (i > 0 && name_of(node.devices[i]) != name_of(node.devices[i - 1])) index = 0;
        node.devices[i].index = index++;
    }
}

std::string gres_text_of(const NewGres& gres) {
    return gres.name + (gres.type.empty() ? "" : ":" + gres.type) + ":" +
           std::to_string(gres.count);
}

std::string name_of(const Device& device, const Dimensions& dimensions) {
    return device.dimension.index() < dimensions.size() ? dimensions.at(device.dimension).name : "";
}

}  // namespace

Status find_devices(NodeSpec& node, const Dimensions& dimensions, const JoiningNode& from) {
    for (Device& device : node.devices) {
        const std::string name = name_of(device, dimensions);
        const auto found = std::ranges::find_if(from.devices, [&](const Device& one) {
            return one.index == device.index && name_of(one, from.dimensions) == name;
        });
        if (found == from.devices.end()) continue;
        BERTH_CHECK(check_device(*found, node));
        const Device before = std::exchange(device, *found);
        device.dimension = before.dimension;
        device.shares = before.shares;
    }
    return Done{};
}

bool is_node_name(const std::string& name) {
    return is_plain(name, "_-.") && !iequals(name, "DEFAULT") && !iequals(name, "ALL");
}

Result<NodeSpec> make_node(const std::string& name, const JoiningNode& from,
                           Dimensions& dimensions) {
    const NewNode& given = from.node;
    if (!is_node_name(name)) {
        return invalid_argument(
            "a node's name is 1 to 255 letters, digits, '_', '-' and '.', and not "
            "DEFAULT or ALL");
    }
    BERTH_CHECK(check_shape(given));
    BERTH_CHECK(check_words(given));
    BERTH_CHECK(check_gres(given));
    NodeSpec node;
    node.name = name;
    node.hostname = given.hostname.empty() ? name : given.hostname;
    node.address = given.address.empty() ? node.hostname : given.address;
    node.boards = given.boards;
    node.sockets = given.sockets;
    node.cores_per_socket = given.cores_per_socket;
    node.threads_per_core = given.threads_per_core;
    node.memory = std::max(Bytes(given.memory), mib(1));  // As in Slurm.
    node.tmp_disk = Bytes(given.tmp_disk);
    node.features = given.features;
    node.weight = given.weight;
    node.origin = iequals(given.state, "CLOUD")    ? NodeOrigin::cloud
                  : iequals(given.state, "FUTURE") ? NodeOrigin::future
                                                   : NodeOrigin::joined;
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    for (const NewGres& gres : given.gres) {
        const auto dimension = dimensions.intern(gres.name, gres.type);
        if (!dimension) {
            return invalid_argument("the cluster would have more than " +
                                    std::to_string(kDimensionsMax - 2) + " kinds of GRES with " +
                                    gres_text_of(gres));
        }
        node.capacity[*dimension] += gres.count;
        BERTH_CHECK(add_devices(node, gres, *dimension, from));
        node.gres_text += (node.gres_text.empty() ? "" : ",") + gres_text_of(gres);
    }
    number_devices(node, dimensions);
    return node;
}

}  // namespace berth
