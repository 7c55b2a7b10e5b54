#include "berth/cli/new_cluster.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>

#include "berth/base/text.h"

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

struct Gpus {
    std::string type;
    std::uint32_t count = 0;
};

std::optional<Gpus> parse_gpus(const std::string& text) {
    const auto parts = split(text, ':');
    const auto count = parts.size() == 2 ? parse_int64(parts[1]) : Result<std::int64_t>(Error{});
    const bool is_name = !parts[0].empty() && std::ranges::all_of(parts[0], [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '.';
    });
    if (!count.ok() || !is_name || count.value() < 1 || count.value() > 64) return std::nullopt;
    return Gpus{std::string(parts[0]), static_cast<std::uint32_t>(count.value())};
}

// What the driver has put into /dev: nvidia0, nvidia1 …
std::vector<std::string> device_files() {
    std::vector<std::string> files;
    for (std::uint32_t i = 0; i < 64; ++i) {
        const std::string path = "/dev/nvidia" + std::to_string(i);
        std::error_code ignored;
        if (fs::exists(path, ignored)) files.push_back(path);
    }
    return files;
}

std::uint64_t memory_mib() {
    return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

std::string short_host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    const std::string full = name.data();
    return full.empty() ? "localhost" : full.substr(0, full.find('.'));
}

Status write_file(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::trunc);
    file << text << std::flush;
    if (file) return Done{};
    return Error{ErrorCode::unavailable, "cannot write " + path.string()};
}

// What the files will say.
struct Sizes {
    Gpus gpus;
    std::vector<std::string> gpu_files;
    std::uint32_t nodes = 1, cpus = 1, own_cpus = 1;
    bool simulated = false;

    bool emulated() const { return cpus > own_cpus || nodes > 1; }
    std::string gres() const {
        if (gpus.count == 0) return {};
        return "gpu:" + (gpus.type.empty() ? "" : gpus.type + ":") + std::to_string(gpus.count);
    }
};

Result<Sizes> sizes_of(const NewCluster& cluster) {
    Sizes sizes{.nodes = cluster.nodes, .simulated = !cluster.simulate_gpus.empty()};
    if (sizes.simulated) {
        const auto gpus = parse_gpus(cluster.simulate_gpus);
        if (!gpus) {
            return Error{ErrorCode::invalid_argument, "--simulate-gpus " + cluster.simulate_gpus +
                                                          " should be TYPE:COUNT, like a100:8"};
        }
        sizes.gpus = *gpus;
    } else {
        sizes.gpu_files = device_files();
        sizes.gpus.count = static_cast<std::uint32_t>(sizes.gpu_files.size());
    }
    sizes.own_cpus = static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    sizes.cpus = cluster.cpus;
    if (sizes.cpus == 0)
        sizes.cpus =
            sizes.simulated ? std::max(sizes.own_cpus, 2 * sizes.gpus.count) : sizes.own_cpus;
    return sizes;
}

// A GPU is worth its part of the CPUs: whoever takes all GPUs uses as much as who takes all CPUs.
std::string billing(const Sizes& sizes) {
    if (sizes.gpus.count == 0) return {};
    const std::uint32_t worth = std::max(1U, sizes.cpus / sizes.gpus.count);
    return " TRESBillingWeights=CPU=1,GRES/gpu=" + std::to_string(worth);
}

std::string slurm_conf(const Sizes& sizes) {
    const std::string host = short_host_name();
    const std::string cpus = std::to_string(sizes.cpus);
    std::ostringstream text;
    text << "# Written by `berth up`. Edit it, or give your own with --slurm-conf.\n"
         << "ClusterName=berth\nSlurmctldHost=" << host << "\n"
         << (sizes.gpus.count > 0 ? "GresTypes=gpu\n" : "") << "PriorityType=priority/multifactor\n"
         << "PriorityWeightAge=1000\nPriorityWeightFairshare=10000\nPriorityWeightJobSize=100\n"
         << "PriorityWeightQOS=1000\nPriorityFlags=MAX_TRES\n"
         << (sizes.gpus.count > 0 ? "AccountingStorageTRES=gres/gpu\n" : "")
         << "NodeName=" << (sizes.nodes == 1 ? host : "node[1-" + std::to_string(sizes.nodes) + "]")
         << " NodeHostname=" << host << " NodeAddr=127.0.0.1 CPUs=" << cpus
         << " Sockets=1 CoresPerSocket=" << cpus
         << " ThreadsPerCore=1 RealMemory=" << memory_mib() / sizes.nodes
         << (sizes.gpus.count > 0 ? " Gres=" + sizes.gres() : "") << "\n"
         << "PartitionName=main Nodes=ALL Default=YES DefaultTime=1:00:00 MaxTime=7-00:00:00 "
            "State=UP"
         << billing(sizes) << "\n";
    return text.str();
}

std::string gres_conf(const Sizes& sizes) {
    if (sizes.gpu_files.empty()) return "# Simulated GPUs have no file.\n";
    return "Name=gpu File=/dev/nvidia[0-" + std::to_string(sizes.gpu_files.size() - 1) + "]\n";
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
    if (sizes.gpus.count > 0) {
        text += ", " + std::to_string(sizes.gpus.count) + " × " +
                (sizes.gpus.type.empty() ? "gpu" : sizes.gpus.type) +
                (sizes.simulated ? " (simulated)" : "");
    }
    if (sizes.emulated())
        text += "; more than this machine has, so processes are real and cores are not pinned";
    return text;
}

}  // namespace

Result<WrittenCluster> write_configuration(const fs::path& directory, const NewCluster& cluster) {
    BERTH_TRY(const Sizes sizes, sizes_of(cluster));
    BERTH_CHECK(write_file(directory / "slurm.conf", slurm_conf(sizes)));
    BERTH_CHECK(write_file(directory / "gres.conf", gres_conf(sizes)));
    BERTH_CHECK(write_file(directory / "cgroup.conf", cgroup_conf(sizes)));
    return WrittenCluster{.emulated = sizes.emulated(), .summary = summary_of(sizes)};
}

}  // namespace berth::cli
