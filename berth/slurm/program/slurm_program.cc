#include "berth/slurm/program/slurm_program.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <utility>

#include "berth/slurm/admin/admin_commands.h"
#include "berth/slurm/jobs/job_commands.h"
#include "berth/slurm/tables/table_commands.h"
#include "berth/slurm/text/time_format.h"

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
    {"seff", run_seff},
    {"sinfo", run_sinfo},
    {"sprio", run_sprio},
    {"squeue", run_squeue},
    {"sreport", run_sreport},
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

int run_command(const Invocation& call, Streams& streams) {
    const Command command = find_command(call.name);
    if (command == nullptr) {
        std::string names;
        for (const auto& [name, unused] : kCommands)
            names += (names.empty() ? "" : ", ") + std::string(name);
        streams.err << call.name << ": not a command of Berth; there are " << names << '\n';
        return 1;
    }
    use_time_format(call);
    return command(call, streams);
}

}  // namespace berth::slurm
