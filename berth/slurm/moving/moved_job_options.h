// The record of a job as options of sbatch.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/slurm/moving/records.h"

namespace berth::slurm {

using GivenOptions = std::vector<std::pair<std::string, std::string>>;

// `script` has #SBATCH lines, which stay in force: only what they do not say is taken from the
// record where Slurm does not show it as it was given.
GivenOptions options_of_record(const ShownRecord& record, std::string_view script, Time now);

// Whether sbatch takes each of them.
Status check_options(const GivenOptions& given);

}  // namespace berth::slurm
