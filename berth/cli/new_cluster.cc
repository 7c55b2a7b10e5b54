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

}  // namespace

Result<WrittenCluster> write_configuration(const fs::path& directory, const NewCluster& cluster) {
    Gpus gpus;
    const std::vector<std::string> files =
        cluster.simulate_gpus.empty() ? device_files() : std::vector<std::string>();
    if (!cluster.simulate_gpus.empty()) {
        const auto parsed = parse_gpus(cluster.simulate_gpus);
        if (!parsed)
            return Error{ErrorCode::invalid_argument, "--simulate-gpus " + cluster.simulate_gpus +
                                                          " should be TYPE:COUNT, like a100:8"};
        gpus = *parsed;
    } else {
        gpus.count = static_cast<std::uint32_t>(files.size());
    }
    const auto own_cpus = static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    const bool simulated = !cluster.simulate_gpus.empty();
    const std::uint32_t cpus = cluster.cpus > 0 ? cluster.cpus
                               : simulated      ? std::max(own_cpus, 2 * gpus.count)
                                                : own_cpus;
    const std::string host = short_host_name();
    const std::string names =
        cluster.nodes == 1 ? host : "node[1-" + std::to_string(cluster.nodes) + "]";
    const std::string gres = gpus.count == 0 ? ""
                             : gpus.type.empty()
                                 ? "gpu:" + std::to_string(gpus.count)
                                 : "gpu:" + gpus.type + ":" + std::to_string(gpus.count);
    const bool emulated = cpus > own_cpus || cluster.nodes > 1;

    std::ostringstream slurm;
    slurm << "# Written by `berth up`. Edit it, or give your own with --slurm-conf.\n"
          << "ClusterName=berth\nSlurmctldHost=" << host << "\n";
    if (!gres.empty()) slurm << "GresTypes=gpu\n";
    slurm << "PriorityType=priority/"
             "multifactor\nPriorityWeightAge=1000\nPriorityWeightJobSize=100\nPriorityWeightQOS="
             "1000\n"
          << "NodeName=" << names << " NodeHostname=" << host << " NodeAddr=127.0.0.1 CPUs=" << cpus
          << " Sockets=1 CoresPerSocket=" << cpus
          << " ThreadsPerCore=1 RealMemory=" << memory_mib() / cluster.nodes
          << (gres.empty() ? "" : " Gres=" + gres) << "\n"
          << "PartitionName=main Nodes=ALL Default=YES DefaultTime=1:00:00 MaxTime=7-00:00:00 "
             "State=UP\n";
    BERTH_CHECK(write_file(directory / "slurm.conf", slurm.str()));

    std::string gres_conf = "# The GPUs of the node" +
                            std::string(simulated ? "; simulated ones have no file.\n" : ".\n");
    if (!files.empty())
        gres_conf += "Name=gpu File=/dev/nvidia[0-" + std::to_string(files.size() - 1) + "]\n";
    BERTH_CHECK(write_file(directory / "gres.conf", gres_conf));
    const bool root = geteuid() == 0;
    BERTH_CHECK(write_file(directory / "cgroup.conf",
                           std::string("ConstrainCores=") + (root && !emulated ? "yes" : "no") +
                               "\nConstrainDevices=" + (root ? "yes" : "no") +
                               "\nConstrainRAMSpace=" + (root ? "yes" : "no") + "\n"));

    WrittenCluster written{.emulated = emulated,
                           .summary = std::to_string(cluster.nodes) +
                                      (cluster.nodes == 1 ? " node, " : " nodes, each ") +
                                      std::to_string(cpus) + " CPUs"};
    if (gpus.count > 0)
        written.summary += ", " + std::to_string(gpus.count) + " × " +
                           (gpus.type.empty() ? "gpu" : gpus.type) +
                           (simulated ? " (simulated)" : "");
    if (emulated)
        written.summary +=
            "; more than this machine has, so processes are real and cores are not pinned";
    return written;
}

}  // namespace berth::cli
