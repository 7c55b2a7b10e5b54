// What the submit host can see of a batch job's files: folders that are not there, files that its
// user may not open. The job's node may see others, so these are warnings.
#pragma once

#include <string>
#include <vector>

#include "berth/model/job.h"

namespace berth::slurm {

// Names whose folder depends on the job ("%u/out") are left out.
std::vector<std::string> file_warnings(const JobCommand& command);

}  // namespace berth::slurm
