// What sbatch --wait does: waits for the end of a job, and says how it ended.
#pragma once

#include <chrono>
#include <string>

#include "berth/client/client.h"

namespace berth::slurm {

// The longest pause between two looks at a job that a command waits for.
inline constexpr std::chrono::milliseconds kLongestWaitPause{2000};

// The highest exit code of the job's tasks; 1 for one that ended in any other way, as Slurm has it.
CallResult<int> wait_for_end(Client& client, JobId job);

// Of one job or task that is over.
int exit_code_of(const api::AccountingRow& over);

}  // namespace berth::slurm
