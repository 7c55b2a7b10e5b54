#include "berth/slurm/options/other_options.h"

#include <algorithm>
#include <array>

namespace berth::slurm {
namespace {

// clang-format off
constexpr auto kWithoutMeaning = std::to_array<OtherOption>({
    {"acctg-freq", "a job's CPU time and peak memory come from its cgroup, which misses nothing between two samples"},
    {"bb", "it is for a burst buffer plugin; there is none, as in Slurm without BurstBufferType: copy in the script"},
    {"bbf", "as --bb; a file that cannot be read is refused, as in Slurm"},
    {"cluster-constraint", "there is one cluster"},
    {"ctld", "scancel always asks the controller"},
    {"delay-boot", "Berth boots no nodes, so no job waits for one to boot"},
    {"expand-patterns", "squeue always prints names of files with their patterns filled in", " squeue "},
    {"federation", "there is one cluster"},
    {"hurry", "no burst buffer is staged out"},
    {"local", "there is one cluster"},
    {"mcs-label", "it is for an MCS plugin; there is none, as in Slurm's default, mcs/none"},
    {"msg-timeout", "srun waits for its nodes as long as they respond"},
    {"power", "it sets up a power management plugin; there is none"},
    {"sibling", "there is one cluster", " scontrol sprio squeue "},
    {"slurmd-debug", "it is for operators' eyes, and the agent's log has its messages"},
    {"threads", "srun launches a step with one call"},
    {"use-local-uid", "users have the names that the controller's host gives them"},
    {"wait-all-nodes", "a job starts once all of its nodes are ready"},
});

constexpr auto kRefused = std::to_array<OtherOption>({
    {"async", "put the step in the background with &"},
    {"consolidate-segments", "one block for all segments is not planned; use --switches=1"},
    {"container", "start the container in the script, with apptainer or enroot for example"},
    {"container-id", "start the container in the script, with apptainer or enroot for example"},
    {"cron", "there is no scrontab; cron itself can run sbatch"},
    {"external-launcher", "srun without it starts the tasks of any MPI"},
    {"future", "there are no FUTURE nodes"},
    {"no-allocate", "use ssh, or give root a job of its own"},
    {"oneliner", "use --parsable2", " sacctmgr "},
    {"oom-kill-step", "a step whose memory runs out is ended; --kill-on-bad-exit ends the others"},
    {"pidformat", "look into the job's cgroup on its nodes"},
    {"resources", "there are no hierarchical resources; use --licenses"},
    {"resv-ports", "PMI2 and PMIx need no reserved ports", " sbatch salloc "},
    {"spread-segments", "segments may share a block; use --spread-job for nodes far apart"},
    {"stepmgr", "one controller creates all steps"},
    {"timeout", "end sbcast with timeout(1)"},
    {"treewidth", "srun talks to each node itself"},
    {"tres-bind", "use --gpu-bind"},
    {"uid", "act as that user: sudo -u USER", " scontrol "},
    {"wait-for-children", "a task is over when its first process is; let this wait for the others"},
    {"x11", "use ssh -X to a node of the job", " sbatch "},
});
// clang-format on

}  // namespace

std::span<const OtherOption> options_without_meaning() { return kWithoutMeaning; }
std::span<const OtherOption> refused_options() { return kRefused; }

bool is_refused(std::string_view command, std::string_view option_name) {
    const auto row = std::ranges::find(kRefused, option_name, &OtherOption::name);
    if (row == kRefused.end()) return false;
    return row->commands.empty() ||
           row->commands.find(" " + std::string(command) + " ") != std::string_view::npos;
}

Error refuse_option(std::string_view option_name) {
    const auto row = std::ranges::find(kRefused, option_name, &OtherOption::name);
    const std::string instead =
        row == kRefused.end() ? std::string(" yet") : ": " + std::string(row->why);
    return Error{ErrorCode::failed_precondition,
                 "--" + std::string(option_name) + " is not supported" + instead};
}

}  // namespace berth::slurm
