// sbatch --wait: waits for the end of a job and reports it.
#pragma once

#include <chrono>
#include <string>

#include "berth/client/client.h"

namespace berth::slurm {

// The longest pause between two polls of a job.
inline constexpr std::chrono::milliseconds kLongestWaitPause{2000};

// The highest exit code of the job's tasks; 1 for a task that ended in any other way, as in Slurm.
CallResult<int> wait_for_end(Client& client, JobId job);

// The exit code of one ended job or task.
int exit_code_of(const api::AccountingRow& over);

}  // namespace berth::slurm
