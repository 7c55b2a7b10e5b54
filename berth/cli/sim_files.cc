#include "berth/cli/sim_files.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "berth/config/files.h"

namespace berth::cli {

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

}  // namespace berth::cli
