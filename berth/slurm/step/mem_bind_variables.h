// SLURM_MEM_BIND and its parts: how --mem-bind reads in the environment of jobs and of tasks.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::slurm {

using MemBindVariables = std::vector<std::pair<std::string, std::string>>;

// `mem_bind` is as MemBind::parse takes it; empty gives no variable.
// What sbatch and salloc tell the sruns of their job: SLURM_MEM_BIND=prefer,local.
MemBindVariables mem_bind_of_job(std::string_view mem_bind);

// What srun tells its tasks: SLURM_MEM_BIND=quiet,prefer,local and each part by itself.
MemBindVariables mem_bind_of_tasks(std::string_view mem_bind);

}  // namespace berth::slurm
