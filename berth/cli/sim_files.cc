#include "berth/cli/sim_files.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "berth/base/text.h"
#include "berth/config/files.h"
#include "berth/workload/formats.h"
#include "berth/workload/generator.h"
#include "berth/workload/values.h"

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

}  // namespace

Result<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ErrorCode::not_found, "cannot read " + path};
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
    const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
    config::ConfigFiles files;
    if (yaml) {
        BERTH_TRY(std::string text, read_file(path));
        files.berth = config::ConfigText{path, std::move(text)};
    } else {
        BERTH_TRY(files, std::filesystem::is_regular_file(path) ? config::read_beside(path)
                                                                : config::read_directory(path));
    }
    config::Loaded loaded = config::load(files);
    for (const config::Finding& finding : loaded.findings) {
        if (finding.severity == config::Severity::error) {
            return Error{ErrorCode::invalid_argument, config::to_string(finding)};
        }
    }
    return std::move(loaded.spec);
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
    const std::size_t colon = trace.find(':');
    const workload::Format* const format = workload::find_format(trace.substr(0, colon));
    if (format == nullptr || colon == std::string::npos) {
        std::vector<std::string_view> names;
        for (const workload::Format& one : workload::formats()) names.push_back(one.name);
        return Error{
            ErrorCode::invalid_argument,
            "--trace " + trace + " should be FORMAT:FILE; formats are " + join(names, ", ")};
    }
    const std::string path = trace.substr(colon + 1);
    BERTH_TRY(const std::string text, read_file(path));
    auto workload = format->read(text);
    if (!workload.ok()) return prefixed(path + ": ", std::move(workload).error());
    return workload;
}

}  // namespace berth::cli
