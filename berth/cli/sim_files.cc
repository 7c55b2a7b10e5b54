#include "berth/cli/sim_files.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "berth/base/text.h"
#include "berth/config/files.h"
#include "berth/sim/policies.h"
#include "berth/workload/formats.h"
#include "berth/workload/generator.h"
#include "berth/workload/trace_values.h"

namespace berth::cli {
namespace {

// generate:MIX:JOBS
Result<workload::Workload> generate(const std::string& trace, std::uint64_t seed,
                                    std::int64_t gpus) {
    const auto words = split(trace, ':');
    const auto jobs = workload::parse_count(words.size() == 3 ? words[2] : "", 1, 100'000'000);
    if (!jobs.ok()) {
        return Error{ErrorCode::invalid_argument,
                     "--trace " + trace + " should be generate:MIX:JOBS, as generate:philly:10000"};
    }
    return workload::generate(
        words[1], {.jobs = static_cast<std::size_t>(*jobs), .seed = seed, .gpus_max = gpus});
}

// The program rather than its library: it is where such files are, and nothing else needs it.
Result<std::string> unpack(const std::string& path) {
    std::string quoted;
    for (const char letter : path) {
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    FILE* const pipe = popen(("zstd -dcq -- '" + quoted + "'").c_str(), "re");
    if (pipe == nullptr) return Error{ErrorCode::unavailable, "cannot run zstd for " + path};
    std::string text;
    std::array<char, 1 << 16> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) {
        text.append(part.data(), n);
    }
    if (pclose(pipe) == 0) return text;
    return Error{ErrorCode::unavailable,
                 "cannot unpack " + path + ": `zstd -d` failed; is zstd installed?"};
}

Result<config::ConfigFiles> read_config(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        return Error{ErrorCode::not_found, "there is no " + path +
                                               "; give a berth.yaml, a slurm.conf, or a directory "
                                               "with them"};
    }
    if (path.ends_with(".yaml") || path.ends_with(".yml")) {
        config::ConfigFiles files;
        BERTH_TRY(std::string text, read_file(path));
        files.berth = config::ConfigText{path, std::move(text)};
        return files;
    }
    return std::filesystem::is_regular_file(path) ? config::read_beside(path)
                                                  : config::read_directory(path);
}

Result<ClusterSpec> spec_of(config::Loaded loaded) {
    for (const config::Finding& finding : loaded.findings) {
        if (finding.severity == config::Severity::error) {
            return Error{ErrorCode::invalid_argument, config::to_string(finding)};
        }
    }
    return std::move(loaded.spec);
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ErrorCode::not_found, "cannot read " + path};
    if (path.ends_with(".zst")) return unpack(path);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}

Status write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) return Error{ErrorCode::unavailable, "cannot write " + path};
    return Done{};
}

Result<ClusterSpec> read_cluster(const std::string& path) {
    BERTH_TRY(const config::ConfigFiles files, read_config(path));
    return spec_of(config::load(files));
}

Result<ClusterSpec> read_cluster(const std::string& path, const std::string& policy,
                                 std::vector<std::string>& remarks) {
    const auto [name, how] = sim::split_policy(policy);
    if (name.find_first_of("./") == std::string_view::npos) {
        BERTH_TRY(ClusterSpec cluster, read_cluster(path));
        BERTH_CHECK(sim::choose_policy(cluster.scheduling, policy));
        return cluster;
    }
    BERTH_TRY(const config::ConfigFiles files, read_config(path));
    const std::string file(name);
    BERTH_TRY(std::string text, read_file(file));
    config::Loaded loaded = config::load_with_policy(files, {file, std::move(text)});
    for (const config::Finding& finding : loaded.findings) {
        const bool is_remark = finding.severity != config::Severity::error && finding.file == file;
        if (is_remark) remarks.push_back(config::to_string(finding));
    }
    BERTH_TRY(ClusterSpec cluster, spec_of(std::move(loaded)));
    if (!how.empty()) BERTH_CHECK(sim::choose_backfill(cluster.scheduling, how));
    return cluster;
}

std::int64_t gpus_of(const ClusterSpec& cluster) {
    std::int64_t gpus = 0;
    for (const NodeSpec& node : cluster.nodes) {
        for (const Device& device : node.devices) {
            gpus += cluster.dimensions.at(device.dimension).name == "gpu" ? 1 : 0;
        }
    }
    return gpus;
}

Result<workload::Workload> read_trace(const std::string& trace, std::uint64_t seed,
                                      std::int64_t gpus) {
    if (trace.starts_with("generate:")) return generate(trace, seed, gpus);
    if (trace == "philly") return workload::read_philly(philly_sample());
    const std::size_t colon = trace.find(':');
    const workload::Format* const format = workload::find_format(trace.substr(0, colon));
    if (format == nullptr || colon == std::string::npos) {
        std::vector<std::string_view> names;
        for (const workload::Format& one : workload::formats()) names.push_back(one.name);
        return Error{ErrorCode::invalid_argument,
                     "--trace " + trace +
                         " should be FORMAT:FILE, or philly alone for a sample; formats are " +
                         join(names, ", ")};
    }
    const std::string path = trace.substr(colon + 1);
    BERTH_TRY(const std::string text, read_file(path));
    auto workload = format->read(text);
    if (!workload.ok()) return prefixed(path + ": ", std::move(workload).error());
    return workload;
}

}  // namespace berth::cli
