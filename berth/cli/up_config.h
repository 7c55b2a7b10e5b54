// UpConfig: the configuration that the options of `berth up` ask for, made and checked before
// anything is touched, and compared with the one that the cluster has.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "berth/cli/subcommands.h"
#include "berth/config/load.h"

namespace berth::cli {

struct UpConfig {
    config::ConfigFiles files;  // As they will be in etc/.
    // What made them, by option: remembered beside the files.
    std::map<std::string, std::string> origin;
    std::string summary;  // "1 node, 16 CPUs, gpu:a100:8 (simulated)"; empty: the files are copies.
};

// True: an option says what the configuration should be.
bool asks_for_config(const UpOptions& options);

// Refuses values that cannot be right. Writes nothing.
Result<UpConfig> wanted_config(const UpOptions& options);

// Whether the folder has a configuration: a slurm.conf or a berth.yaml.
bool has_config(const std::filesystem::path& folder);

// Refuses a folder that has files but no configuration: Berth did not make them, and they would be
// moved away. The message names them. With `replaces`, only refuses to delete such a
// FOLDER.previous.
Status check_foreign_files(const std::filesystem::path& folder, bool replaces);

// What is different in the folder from what the options ask for, in words: "--nodes is 1, not 2".
// Empty: nothing. Options that are not given ask for nothing.
std::vector<std::string> differences(const UpConfig& wanted, const UpOptions& options,
                                     const std::filesystem::path& folder);

// Puts the files into the folder, all of them or none; those that were there go to FOLDER.previous,
// in place of those that lie there.
Status install_config(const UpConfig& wanted, const std::filesystem::path& folder);

}  // namespace berth::cli
