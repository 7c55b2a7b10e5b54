// Values of sacct's options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

Status add_users(const char* text, std::vector<std::string>& names);  // "alice,1001"
Status add_states(const char* text, std::vector<std::string>& states);
Status check_file(const char* path);                            // It must be a regular one.
Status set_yes(const char* text, std::optional<bool>& chosen);  // --whole-hetjob[=yes|no]

// --expand-patterns: fills in what stands for "%j" and its like in the names of the job's files.
void expand_patterns(api::AccountingRow& job);

}  // namespace berth::slurm
