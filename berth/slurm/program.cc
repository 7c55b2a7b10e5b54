#include "berth/slurm/program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace berth::slurm {
namespace {

constexpr auto kCommands = std::to_array<std::pair<std::string_view, Command>>({
    {"sacct", run_sacct},
    {"sacctmgr", run_sacctmgr},
    {"salloc", run_salloc},
    {"sbatch", run_sbatch},
    {"sattach", run_sattach},
    {"sbcast", run_sbcast},
    {"scancel", run_scancel},
    {"scontrol", run_scontrol},
    {"sdiag", run_sdiag},
    {"sinfo", run_sinfo},
    {"sprio", run_sprio},
    {"squeue", run_squeue},
    {"srun", run_srun},
    {"sshare", run_sshare},
    {"sstat", run_sstat},
});

}  // namespace

Command find_command(std::string_view name) {
    const auto found =
        std::ranges::find(kCommands, name, &std::pair<std::string_view, Command>::first);
    return found == kCommands.end() ? nullptr : found->second;
}

}  // namespace berth::slurm
