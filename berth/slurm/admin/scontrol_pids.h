// scontrol listpids, pidinfo: the processes of jobs on this node, as its kernel shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// Each takes the words of the command line, and returns scontrol's exit code. Other users'
// environments are closed to all but root: without cgroups only root sees their processes.
int list_pids(const std::vector<std::string>& words, Streams& streams,
              const std::string& proc = "/proc");  // listpids [JOB[.STEP]] [NODE]
int print_pid_info(Client& client, const std::vector<std::string>& words, Streams& streams,
                   const std::string& proc = "/proc");  // pidinfo PID

// The job and the step ("batch", "extern", "0") that a process belongs to.
struct StepOfProcess {
    std::string job, step;
    friend auto operator<=>(const StepOfProcess&, const StepOfProcess&) = default;
};

// From /proc/PID/cgroup: "0::/system.slice/slurmstepd.scope/job_12/step_0". nullopt: of no job.
std::optional<StepOfProcess> step_in_cgroups(std::string_view text);
// From /proc/PID/environ of a process that a node has started. nullopt: of no job.
std::optional<StepOfProcess> step_in_environment(std::string_view environment);

}  // namespace berth::slurm
