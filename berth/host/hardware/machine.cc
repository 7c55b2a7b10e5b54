#include "berth/host/hardware/machine.h"

#include <hwloc.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "berth/host/cgroup/device_guard.h"

namespace berth {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Result<Topology> load_topology() {
    hwloc_topology_t made = nullptr;
    if (hwloc_topology_init(&made) != 0) {
        return Error{ErrorCode::internal, "hwloc cannot be set up"};
    }
    Topology topology(made, hwloc_topology_destroy);
    if (hwloc_topology_load(made) != 0) {
        return Error{ErrorCode::internal, "hwloc cannot read this machine"};
    }
    return topology;
}

std::vector<int> cpus_of(hwloc_const_cpuset_t set) {
    std::vector<int> cpus;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
        cpus.push_back(cpu);
    }
    return cpus;
}

Bytes size_of_tmp() {
    struct statvfs room{};
    if (::statvfs("/tmp", &room) != 0) return Bytes(0);
    return Bytes(static_cast<std::int64_t>(room.f_blocks) *
                 static_cast<std::int64_t>(room.f_frsize));
}

void add_cores(hwloc_topology_t topology, Machine& machine) {
    // Some machines expose no cores, but all expose processing units.
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    const hwloc_obj_type_t kind = cores > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    for (hwloc_obj_t one = nullptr;
         (one = hwloc_get_next_obj_by_type(topology, kind, one)) != nullptr;) {
        const hwloc_obj_t package =
            hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, one);
        machine.cpus_of_core.push_back(cpus_of(one->cpuset));
        machine.socket_of_core.push_back(package != nullptr ? package->logical_index : 0);
    }
}

std::uint32_t at_least_one(int count) { return static_cast<std::uint32_t>(std::max(1, count)); }

std::uint32_t threads_per_core(const Machine& machine) {
    std::size_t most = 1;
    for (const auto& cpus : machine.cpus_of_core) most = std::max(most, cpus.size());
    return static_cast<std::uint32_t>(most);
}

bool is_there(const Device& device) { return rules_for_files(device).ok(); }

// "gpu:a100:8,fpga:2"
std::string gres_text_of(const std::vector<Device>& devices, const Dimensions& dimensions) {
    std::map<DimensionId, std::uint32_t> counts;
    for (const Device& device : devices) ++counts[device.dimension];
    std::string text;
    for (const auto& [dimension, count] : counts) {
        const Dimension& gres = dimensions.at(dimension);
        text += (text.empty() ? "" : ",") + gres.name + ":" +
                (gres.type.empty() ? "" : gres.type + ":") + std::to_string(count);
    }
    return text;
}

}  // namespace

std::uint32_t Machine::cpus() const {
    std::size_t count = 0;
    for (const auto& cpus : cpus_of_core) count += cpus.size();
    return static_cast<std::uint32_t>(count);
}

Result<Machine> discover_machine() {
    BERTH_TRY(const Topology topology, load_topology());
    Machine machine;
    machine.sockets = at_least_one(hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PACKAGE));
    machine.numa_nodes = at_least_one(hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_NUMANODE));
    machine.memory = Bytes(::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
    machine.tmp_disk = size_of_tmp();
    add_cores(topology.get(), machine);
    if (machine.cpus_of_core.empty()) {
        return Error{ErrorCode::internal, "hwloc finds no CPU on this machine"};
    }
    return machine;
}

std::vector<std::vector<int>> cpus_of_node(const NodeSpec& node, const Machine& machine) {
    if (node.cores() <= machine.cpus_of_core.size() &&
        node.threads_per_core >= threads_per_core(machine)) {
        return {machine.cpus_of_core.begin(),
                machine.cpus_of_core.begin() + static_cast<std::ptrdiff_t>(node.cores())};
    }
    std::vector<std::vector<int>> one_each;
    for (const auto& cpus : machine.cpus_of_core) {
        for (const int cpu : cpus) one_each.push_back({cpu});
    }
    if (node.cores() > one_each.size() || node.threads_per_core > 1) return {};
    one_each.resize(node.cores());
    return one_each;
}

NodeSpec node_of(const Machine& machine, const std::string& name) {
    NodeSpec node;
    node.name = node.hostname = node.address = name;
    node.sockets = machine.sockets;
    node.cores_per_socket = std::max<std::uint32_t>(
        1, static_cast<std::uint32_t>(machine.cpus_of_core.size()) / machine.sockets);
    node.threads_per_core = threads_per_core(machine);
    node.memory = machine.memory;
    node.tmp_disk = machine.tmp_disk;
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    return node;
}

NodeSpec found_node(const NodeSpec& configured, const Dimensions& dimensions,
                    const Machine& machine) {
    NodeSpec found = node_of(machine, configured.name);
    found.hostname = configured.hostname;
    found.address = configured.address;
    std::ranges::copy_if(configured.devices, std::back_inserter(found.devices), is_there);
    found.gres_text = gres_text_of(found.devices, dimensions);
    return found;
}

BitSet cores_of_cpus(const std::vector<int>& cpus, const Machine& machine) {
    BitSet cores(machine.cpus_of_core.size());
    for (std::size_t core = 0; core < machine.cpus_of_core.size(); ++core) {
        const auto& own = machine.cpus_of_core[core];
        const auto is_own = [&](int cpu) { return std::ranges::find(own, cpu) != own.end(); };
        if (std::ranges::any_of(cpus, is_own)) cores.set(core);
    }
    return cores;
}

}  // namespace berth
