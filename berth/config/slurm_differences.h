// SlurmDifferences: keys that Berth honours in another way than Slurm, at the lines that set them.
// For a site that moves; load() says what is wrong or has no effect.
#pragma once

#include <vector>

#include "berth/config/finding.h"
#include "berth/config/load.h"

namespace berth::config {

// Warnings, in the order of the files and lines.
std::vector<Finding> slurm_differences(const ConfigFiles& files);

}  // namespace berth::config
