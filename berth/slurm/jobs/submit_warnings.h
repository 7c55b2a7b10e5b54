// Warnings about a batch job's files that the submit host can see: missing folders, files that the
// user may not open. Only warnings, since the job's node may see other files.
#pragma once

#include <string>
#include <vector>

#include "berth/model/job.h"

namespace berth::slurm {

// Names whose folder depends on the job ("%u/out") are not checked.
std::vector<std::string> file_warnings(const JobCommand& command);

}  // namespace berth::slurm
