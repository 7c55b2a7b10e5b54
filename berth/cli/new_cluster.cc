#include "berth/cli/new_cluster.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "berth/base/text.h"
#include "berth/client/host_name.h"
#include "berth/host/hardware/describe.h"

namespace berth::cli {
namespace {

std::uint64_t memory_mib() {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// What the files will say.
struct Sizes {
    std::uint32_t gpus = 0;
    std::string gres;        // As a node line has it.
    std::string shape;       // Of the node's cores, likewise.
    std::string gres_lines;  // Of real ones.
    std::string gpu_types;   // Likewise, for berth.yaml.
    std::uint32_t nodes = 1, cpus = 1, own_cpus = 1;
    bool simulated = false;

    bool emulated() const { return cpus > own_cpus || nodes > 1; }
};

Status look_at_this_machine(Sizes& sizes) {
    BERTH_TRY(const Machine machine, discover_machine());
    BERTH_TRY(const std::vector<FoundGpu> gpus, find_gpus());
    BERTH_TRY(const DescribedNode described, describe(machine, gpus, short_host_name()));
    sizes.gpus = static_cast<std::uint32_t>(gpus.size());
    sizes.gres = described.node.gres_text;
    sizes.shape = shape_line(described);
    sizes.gres_lines = gres_lines(described);
    sizes.gpu_types = type_lines(gpus);
    return Done{};
}

Status make_up_gpus(const std::string& text, Sizes& sizes) {
    BERTH_TRY(const auto inventory, simulate_gpus(text));
    BERTH_TRY(const std::vector<FoundGpu> gpus, inventory->gpus());
    NodeSpec node;
    Dimensions dimensions;
    BERTH_CHECK(add_gpus(node, dimensions, gpus, nullptr));
    sizes.gpus = static_cast<std::uint32_t>(gpus.size());
    sizes.gres = node.gres_text;
    return Done{};
}

Result<Sizes> sizes_of(const NewCluster& cluster) {
    Sizes sizes{.nodes = cluster.nodes, .simulated = cluster.simulate_gpus.has_value()};
    BERTH_CHECK(sizes.simulated ? make_up_gpus(*cluster.simulate_gpus, sizes)
                                : look_at_this_machine(sizes));
    sizes.own_cpus = static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    sizes.cpus = cluster.cpus;
    if (sizes.cpus == 0)
        sizes.cpus = sizes.simulated ? std::max(sizes.own_cpus, 2 * sizes.gpus) : sizes.own_cpus;
    if (sizes.simulated || sizes.cpus != sizes.own_cpus || sizes.nodes > 1) {
        const std::string cpus = std::to_string(sizes.cpus);
        sizes.shape = "CPUs=" + cpus + " Sockets=1 CoresPerSocket=" + cpus + " ThreadsPerCore=1";
    }
    return sizes;
}

// A GPU is worth its part of the CPUs: whoever takes all GPUs uses as much as who takes all CPUs.
std::string billing(const Sizes& sizes) {
    if (sizes.gpus == 0) return {};
    const std::uint32_t worth = std::max(1U, sizes.cpus / sizes.gpus);
    return " TRESBillingWeights=CPU=1,GRES/gpu=" + std::to_string(worth);
}

std::string slurm_conf(const Sizes& sizes) {
    const std::string host = short_host_name();
    std::ostringstream text;
    text << "# Written by `berth up`. Edit it, or give your own with --slurm-conf.\n"
         << "ClusterName=berth\nSlurmctldHost=" << host << "\n"
         << (sizes.gpus > 0 ? "GresTypes=gpu\n" : "") << "PriorityType=priority/multifactor\n"
         << "PriorityWeightAge=1000\nPriorityWeightFairshare=10000\nPriorityWeightJobSize=100\n"
         << "PriorityWeightQOS=1000\nPriorityFlags=MAX_TRES\n"
         << (sizes.gpus > 0 ? "AccountingStorageTRES=gres/gpu\n" : "")
         << "NodeName=" << (sizes.nodes == 1 ? host : "node[1-" + std::to_string(sizes.nodes) + "]")
         << " NodeHostname=" << host << " NodeAddr=127.0.0.1 " << sizes.shape
         << " RealMemory=" << memory_mib() / sizes.nodes
         << (sizes.gres.empty() ? "" : " Gres=" + sizes.gres) << "\n"
         << "PartitionName=main Nodes=ALL Default=YES DefaultTime=1:00:00 MaxTime=7-00:00:00 "
            "State=UP"
         << billing(sizes) << "\n";
    return text.str();
}

std::string gres_conf(const Sizes& sizes) {
    return sizes.gres_lines.empty() ? "# Simulated GPUs have no file.\n" : sizes.gres_lines;
}

std::string cgroup_conf(const Sizes& sizes) {
    const bool root = geteuid() == 0;
    const auto line = [](const char* key, bool on) {
        return std::string(key) + (on ? "=yes\n" : "=no\n");
    };
    return line("ConstrainCores", root && !sizes.emulated()) + line("ConstrainDevices", root) +
           line("ConstrainRAMSpace", root);
}

std::string summary_of(const Sizes& sizes) {
    std::string text = std::to_string(sizes.nodes) +
                       (sizes.nodes == 1 ? " node, " : " nodes, each ") +
                       std::to_string(sizes.cpus) + " CPUs";
    if (sizes.gpus > 0) {
        text += ", " + sizes.gres + (sizes.simulated ? " (simulated)" : "");
    }
    if (sizes.emulated())
        text += "; more than this machine has, so processes are real and cores are not pinned";
    return text;
}

}  // namespace

Result<NewConfig> new_config(const NewCluster& cluster) {
    BERTH_TRY(const Sizes sizes, sizes_of(cluster));
    NewConfig made;
    made.files.slurm = {.name = "slurm.conf", .text = slurm_conf(sizes)};
    made.files.gres = {.name = "gres.conf", .text = gres_conf(sizes)};
    made.files.cgroup = {.name = "cgroup.conf", .text = cgroup_conf(sizes)};
    if (!sizes.gpu_types.empty())
        made.files.berth = {.name = "berth.yaml", .text = sizes.gpu_types};
    made.summary = summary_of(sizes);
    return made;
}

}  // namespace berth::cli
