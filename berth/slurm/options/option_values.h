// OptionValues: what the values of sbatch's and srun's options mean, and how a number is refused.
#pragma once

#include "berth/base/result.h"
#include "berth/model/request_values.h"

namespace berth::slurm {

Error invalid_number(const char* value, const char* option_name);

// What --prefer names: "ib&ssd". Empty: nothing.
Result<std::vector<std::string>> preferred_features(const std::string& text);

}  // namespace berth::slurm
