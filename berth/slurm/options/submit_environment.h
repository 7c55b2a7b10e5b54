// What a job inherits from its submitter: the environment (--export), the folder, the command line.
#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// ALL, NONE, NIL, or a list of NAME and NAME=value; "ALL,NAME=value" is both. SLURM_* is always
// included.
std::vector<std::string> exported_environment(const Invocation& call, const std::string& what);

// --chdir, relative to the current folder; the current folder if it is empty. --export-file:
// NAME=value texts, each ended by a zero byte, of a file or an open descriptor.
Result<std::vector<std::string>> environment_file(const std::string& name_or_number);

std::string work_dir_of(const std::string& chdir);

std::string line_of(const Invocation& call);  // "sbatch -n1 job.sh", for SubmitLine.

}  // namespace berth::slurm
