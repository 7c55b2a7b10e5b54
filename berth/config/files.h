// Files: reads the configuration files of a directory. The one place of this module that touches a
// disk.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/config/load.h"

namespace berth::config {

// Any of them may be missing, but not both slurm.conf and berth.yaml.
Result<ConfigFiles> read_directory(const std::string& directory);

// slurm.conf at any path, and the other files beside it.
Result<ConfigFiles> read_beside(const std::string& slurm_conf_path);

// Where the files lie that were read from this directory.
std::vector<std::string> paths_of(const std::string& directory, const ConfigFiles& files);

}  // namespace berth::config
