#include "berth/slurm/options/input_variables.h"

#include <algorithm>
#include <array>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/slurm_variables.h"

namespace berth::slurm {
namespace {

constexpr auto kSbatchVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_HINT", "hint"},
    {"SBATCH_ACCOUNT", "account"},
    {"SBATCH_ACCTG_FREQ", "acctg-freq"},
    {"SBATCH_ARRAY_INX", "array"},
    {"SBATCH_BATCH", "batch"},
    {"SBATCH_BERTH_CHECKPOINT", "berth-checkpoint"},
    {"SBATCH_BERTH_RESTART_COST", "berth-restart-cost"},
    {"SBATCH_CLUSTERS", "clusters"},
    {"SBATCH_CONSTRAINT", "constraint"},
    {"SBATCH_CONTAINER", "container"},
    {"SBATCH_CONTAINER_ID", "container-id"},
    {"SBATCH_CORE_SPEC", "core-spec"},
    {"SBATCH_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SBATCH_CPU_FREQ_REQ", "cpu-freq"},
    {"SBATCH_DEBUG", "verbose"},
    {"SBATCH_DELAY_BOOT", "delay-boot"},
    {"SBATCH_DISTRIBUTION", "distribution"},
    {"SBATCH_ERROR", "error"},
    {"SBATCH_EXCLUSIVE", "exclusive"},
    {"SBATCH_EXPORT", "export"},
    {"SBATCH_GET_USER_ENV", "get-user-env"},
    {"SBATCH_GPUS", "gpus"},
    {"SBATCH_GPUS_PER_NODE", "gpus-per-node"},
    {"SBATCH_GPUS_PER_TASK", "gpus-per-task"},
    {"SBATCH_GPU_BIND", "gpu-bind"},
    {"SBATCH_GPU_FREQ", "gpu-freq"},
    {"SBATCH_GRES", "gres"},
    {"SBATCH_GRES_FLAGS", "gres-flags"},
    {"SBATCH_HINT", "hint"},
    {"SBATCH_IGNORE_PBS", "ignore-pbs"},
    {"SBATCH_INPUT", "input"},
    {"SBATCH_JOB_NAME", "job-name"},
    {"SBATCH_MEM_BIND", "mem-bind"},
    {"SBATCH_MEM_PER_CPU", "mem-per-cpu"},
    {"SBATCH_MEM_PER_GPU", "mem-per-gpu"},
    {"SBATCH_MEM_PER_NODE", "mem"},
    {"SBATCH_NETWORK", "network"},
    {"SBATCH_NO_KILL", "no-kill"},
    {"SBATCH_NO_REQUEUE", "no-requeue"},
    {"SBATCH_OPEN_MODE", "open-mode"},
    {"SBATCH_OUTPUT", "output"},
    {"SBATCH_OVERCOMMIT", "overcommit"},
    {"SBATCH_PARTITION", "partition"},
    {"SBATCH_POWER", "power"},
    {"SBATCH_PROFILE", "profile"},
    {"SBATCH_QOS", "qos"},
    {"SBATCH_REQUEUE", "requeue"},
    {"SBATCH_REQ_SWITCH", "switches"},
    {"SBATCH_RESERVATION", "reservation"},
    {"SBATCH_SEGMENT_SIZE", "segment"},
    {"SBATCH_SIGNAL", "signal"},
    {"SBATCH_SPREAD_JOB", "spread-job"},
    {"SBATCH_THREADS_PER_CORE", "threads-per-core"},
    {"SBATCH_THREAD_SPEC", "thread-spec"},
    {"SBATCH_TIMELIMIT", "time"},
    {"SBATCH_TRES_BIND", "tres-bind"},
    {"SBATCH_TRES_PER_TASK", "tres-per-task"},
    {"SBATCH_USE_MIN_NODES", "use-min-nodes"},
    {"SBATCH_WAIT", "wait"},
    {"SBATCH_WAIT_ALL_NODES", "wait-all-nodes"},
    {"SBATCH_WCKEY", "wckey"},
});

constexpr auto kSallocVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_HINT", "hint"},
    {"SALLOC_ACCOUNT", "account"},
    {"SALLOC_ACCTG_FREQ", "acctg-freq"},
    {"SALLOC_BELL", "bell"},
    {"SALLOC_BURST_BUFFER", "bb"},
    {"SALLOC_CLUSTERS", "clusters"},
    {"SALLOC_CONSTRAINT", "constraint"},
    {"SALLOC_CONTAINER", "container"},
    {"SALLOC_CONTAINER_ID", "container-id"},
    {"SALLOC_CORE_SPEC", "core-spec"},
    {"SALLOC_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SALLOC_CPU_FREQ_REQ", "cpu-freq"},
    {"SALLOC_DEBUG", "verbose"},
    {"SALLOC_DELAY_BOOT", "delay-boot"},
    {"SALLOC_EXCLUSIVE", "exclusive"},
    {"SALLOC_GPUS", "gpus"},
    {"SALLOC_GPUS_PER_NODE", "gpus-per-node"},
    {"SALLOC_GPUS_PER_TASK", "gpus-per-task"},
    {"SALLOC_GPU_BIND", "gpu-bind"},
    {"SALLOC_GPU_FREQ", "gpu-freq"},
    {"SALLOC_GRES", "gres"},
    {"SALLOC_GRES_FLAGS", "gres-flags"},
    {"SALLOC_HINT", "hint"},
    {"SALLOC_IMMEDIATE", "immediate"},
    {"SALLOC_KILL_CMD", "kill-command"},
    {"SALLOC_MEM_BIND", "mem-bind"},
    {"SALLOC_MEM_PER_CPU", "mem-per-cpu"},
    {"SALLOC_MEM_PER_GPU", "mem-per-gpu"},
    {"SALLOC_MEM_PER_NODE", "mem"},
    {"SALLOC_NETWORK", "network"},
    {"SALLOC_NO_BELL", "no-bell"},
    {"SALLOC_NO_KILL", "no-kill"},
    {"SALLOC_OVERCOMMIT", "overcommit"},
    {"SALLOC_PARTITION", "partition"},
    {"SALLOC_POWER", "power"},
    {"SALLOC_PROFILE", "profile"},
    {"SALLOC_QOS", "qos"},
    {"SALLOC_REQ_SWITCH", "switches"},
    {"SALLOC_RESERVATION", "reservation"},
    {"SALLOC_SEGMENT_SIZE", "segment"},
    {"SALLOC_SIGNAL", "signal"},
    {"SALLOC_SPREAD_JOB", "spread-job"},
    {"SALLOC_THREADS_PER_CORE", "threads-per-core"},
    {"SALLOC_THREAD_SPEC", "thread-spec"},
    {"SALLOC_TIMELIMIT", "time"},
    {"SALLOC_TRES_BIND", "tres-bind"},
    {"SALLOC_TRES_PER_TASK", "tres-per-task"},
    {"SALLOC_USE_MIN_NODES", "use-min-nodes"},
    {"SALLOC_WAIT_ALL_NODES", "wait-all-nodes"},
    {"SALLOC_WCKEY", "wckey"},
});

// The later of two for one option wins.
constexpr auto kSrunVariables = std::to_array<InputVariable>({
    {"SLURM_ACCOUNT", "account", false},
    {"SLURM_ACCTG_FREQ", "acctg-freq"},
    {"SLURM_BCAST", "bcast"},
    {"SLURM_BCAST_EXCLUDE", "bcast-exclude"},
    {"SLURM_BURST_BUFFER", "bb", false},
    {"SLURM_CLUSTERS", "clusters", false},
    {"SLURM_CLUSTER_CONSTRAINT", "cluster-constraint", false},
    {"SLURM_COMPRESS", "compress"},
    {"SLURM_CONSTRAINT", "constraint", false},
    {"SLURM_CONTAINER", "container"},
    {"SLURM_CONTAINER_ID", "container-id"},
    {"SLURM_CORE_SPEC", "core-spec", false},
    {"SLURM_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SLURM_CPUS_PER_TASK", "cpus-per-task"},
    {"SRUN_CPUS_PER_TASK", "cpus-per-task"},
    {"SLURM_CPU_BIND", "cpu-bind"},
    {"SLURM_CPU_FREQ_REQ", "cpu-freq"},
    {"SLURM_DEBUG", "verbose"},
    {"SRUN_DEBUG", "verbose"},
    {"SLURM_DELAY_BOOT", "delay-boot", false},
    {"SLURM_DEPENDENCY", "dependency", false},
    {"SLURM_DISABLE_STATUS", "disable-status"},
    {"SLURM_DISTRIBUTION", "distribution", false},
    {"SLURM_EPILOG", "epilog"},
    {"SLURM_EXACT", "exact"},
    {"SLURM_EXCLUSIVE", "exclusive"},
    {"SLURM_EXPORT_ENV", "export"},
    {"SRUN_EXPORT_ENV", "export"},
    {"SLURM_GPUS", "gpus", false},
    {"SLURM_GPUS_PER_NODE", "gpus-per-node", false},
    {"SLURM_GPUS_PER_SOCKET", "gpus-per-socket", false},
    {"SLURM_GPUS_PER_TASK", "gpus-per-task"},
    {"SLURM_GPU_BIND", "gpu-bind"},
    {"SLURM_GPU_FREQ", "gpu-freq"},
    {"SLURM_GRES", "gres"},
    {"SLURM_GRES_FLAGS", "gres-flags"},
    {"SLURM_HINT", "hint"},
    {"SLURM_IMMEDIATE", "immediate", false},
    {"SLURM_JOB_NAME", "job-name", false},
    {"SLURM_JOB_NUM_NODES", "nodes", false},
    {"SLURM_KILL_BAD_EXIT", "kill-on-bad-exit"},
    {"SLURM_LABELIO", "label"},
    {"SLURM_MEM_BIND", "mem-bind"},
    {"SLURM_MEM_PER_CPU", "mem-per-cpu", false},
    {"SLURM_MEM_PER_GPU", "mem-per-gpu", false},
    {"SLURM_MEM_PER_NODE", "mem", false},
    {"SLURM_MPI_TYPE", "mpi"},
    {"SLURM_NETWORK", "network"},
    {"SLURM_NNODES", "nodes", false},
    {"SLURM_NO_KILL", "no-kill"},
    {"SLURM_NPROCS", "ntasks"},
    {"SLURM_NTASKS", "ntasks"},
    {"SLURM_NTASKS_PER_CORE", "ntasks-per-core", false},
    {"SLURM_NTASKS_PER_GPU", "ntasks-per-gpu"},
    {"SLURM_NTASKS_PER_NODE", "ntasks-per-node"},
    {"SLURM_NTASKS_PER_SOCKET", "ntasks-per-socket", false},
    {"SLURM_OPEN_MODE", "open-mode"},
    {"SLURM_OVERCOMMIT", "overcommit"},
    {"SLURM_OVERLAP", "overlap"},
    {"SLURM_PARTITION", "partition", false},
    {"SLURM_POWER", "power"},
    {"SLURM_PROFILE", "profile"},
    {"SLURM_PROLOG", "prolog"},
    {"SLURM_QOS", "qos", false},
    {"SLURM_REMOTE_CWD", "chdir"},
    {"SLURM_REQ_SWITCH", "switches", false},
    {"SLURM_RESERVATION", "reservation", false},
    {"SLURM_RESV_PORTS", "resv-ports"},
    {"SLURM_SEGMENT_SIZE", "segment", false},
    {"SLURM_SEND_LIBS", "send-libs"},
    {"SLURM_SIGNAL", "signal", false},
    {"SLURM_SPREAD_JOB", "spread-job", false},
    {"SLURM_STDERRMODE", "error"},
    {"SLURM_STDINMODE", "input"},
    {"SLURM_STDOUTMODE", "output"},
    {"SRUN_ERROR", "error"},
    {"SRUN_INPUT", "input"},
    {"SRUN_OUTPUT", "output"},
    {"SRUN_CONTAINER", "container"},
    {"SRUN_CONTAINER_ID", "container-id"},
    {"SRUN_SEGMENT_SIZE", "segment", false},
    {"SLURM_TASK_EPILOG", "task-epilog"},
    {"SLURM_TASK_PROLOG", "task-prolog"},
    {"SLURM_THREADS", "threads"},
    {"SLURM_THREADS_PER_CORE", "threads-per-core"},
    {"SLURM_THREAD_SPEC", "thread-spec", false},
    {"SLURM_TIMELIMIT", "time"},
    {"SLURM_TRES_BIND", "tres-bind"},
    {"SLURM_TRES_PER_TASK", "tres-per-task"},
    {"SLURM_UNBUFFEREDIO", "unbuffered"},
    {"SLURM_USE_MIN_NODES", "use-min-nodes", false},
    {"SLURM_WAIT", "wait"},
    {"SLURM_WCKEY", "wckey", false},
    {"SLURM_WORKING_DIR", "chdir"},
});

constexpr auto kSqueueVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_JSON", "json"},
    {"SLURM_YAML", "yaml"},
    {"SQUEUE_ACCOUNT", "account"},
    {"SQUEUE_ALL", "all"},
    {"SQUEUE_ARRAY", "array"},
    {"SQUEUE_FEDERATION", "federation"},
    {"SQUEUE_FORMAT", "format"},
    {"SQUEUE_FORMAT2", "Format"},
    {"SQUEUE_LICENSES", "licenses"},
    {"SQUEUE_LOCAL", "local"},
    {"SQUEUE_NAMES", "name"},
    {"SQUEUE_PARTITION", "partition"},
    {"SQUEUE_PRIORITY", "priority"},
    {"SQUEUE_QOS", "qos"},
    {"SQUEUE_SIBLING", "sibling"},
    {"SQUEUE_SORT", "sort"},
    {"SQUEUE_STATES", "states"},
    {"SQUEUE_USERS", "user"},
});

constexpr auto kSinfoVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_JSON", "json"},
    {"SLURM_YAML", "yaml"},
    {"SINFO_ALL", "all"},
    {"SINFO_FEDERATION", "federation"},
    {"SINFO_FORMAT", "format"},
    {"SINFO_LOCAL", "local"},
    {"SINFO_PARTITION", "partition"},
    {"SINFO_SORT", "sort"},
});

constexpr auto kSacctVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_JSON", "json"},
    {"SLURM_YAML", "yaml"},
    {"SACCT_FEDERATION", "federation"},
    {"SACCT_FORMAT", "format"},
    {"SACCT_LOCAL", "local"},
});

constexpr auto kScancelVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SCANCEL_ACCOUNT", "account"},
    {"SCANCEL_BATCH", "batch"},
    {"SCANCEL_CRON", "cron"},
    {"SCANCEL_CTLD", "ctld"},
    {"SCANCEL_FULL", "full"},
    {"SCANCEL_HURRY", "hurry"},
    {"SCANCEL_INTERACTIVE", "interactive"},
    {"SCANCEL_NAME", "name"},
    {"SCANCEL_PARTITION", "partition"},
    {"SCANCEL_QOS", "qos"},
    {"SCANCEL_STATE", "state"},
    {"SCANCEL_USER", "user"},
    {"SCANCEL_VERBOSE", "verbose"},
    {"SCANCEL_WCKEY", "wckey"},
});

constexpr auto kScontrolVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SCONTROL_ALL", "all"},
    {"SCONTROL_FEDERATION", "federation"},
    {"SCONTROL_FUTURE", "future"},
    {"SCONTROL_LOCAL", "local"},
    {"SCONTROL_SIBLING", "sibling"},
});

constexpr auto kSprioVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "clusters"},
    {"SPRIO_FEDERATION", "federation"},
    {"SPRIO_LOCAL", "local"},
    {"SPRIO_SIBLING", "sibling"},
});

constexpr auto kSdiagVariables = std::to_array<InputVariable>({
    {"SLURM_CLUSTERS", "cluster"},
});

constexpr auto kSreportVariables = std::to_array<InputVariable>({
    {"SREPORT_CLUSTER", "cluster"},
    {"SREPORT_FEDERATION", "federation"},
    {"SREPORT_LOCAL", "local"},
    {"SREPORT_TRES", "tres"},
});

constexpr auto kSbcastVariables = std::to_array<InputVariable>({
    {"SBCAST_COMPRESS", "compress"},
    {"SBCAST_EXCLUDE", "exclude"},
    {"SBCAST_FANOUT", "fanout"},
    {"SBCAST_SEND_LIBS", "send-libs"},
    {"SBCAST_SIZE", "size"},
    {"SBCAST_TIMEOUT", "timeout"},
});

constexpr auto kVariablesOfCommands =
    std::to_array<std::pair<std::string_view, std::span<const InputVariable>>>({
        {"sbatch", kSbatchVariables},
        {"salloc", kSallocVariables},
        {"srun", kSrunVariables},
        {"squeue", kSqueueVariables},
        {"sinfo", kSinfoVariables},
        {"sacct", kSacctVariables},
        {"scancel", kScancelVariables},
        {"scontrol", kScontrolVariables},
        {"sprio", kSprioVariables},
        {"sdiag", kSdiagVariables},
        {"sreport", kSreportVariables},
        {"sbcast", kSbcastVariables},
    });

int exit_code_in(const Invocation& call, const char* name, int otherwise) {
    const std::string* const text = call.variable(name);
    const auto number = parse_int64(text == nullptr ? "" : *text);
    return number.ok() && *number >= 0 && *number <= 255 ? static_cast<int>(*number) : otherwise;
}

}  // namespace

std::span<const InputVariable> input_variables(std::string_view command) {
    const auto found = std::ranges::find_if(kVariablesOfCommands,
                                            [&](const auto& one) { return one.first == command; });
    return found == kVariablesOfCommands.end() ? std::span<const InputVariable>() : found->second;
}

bool turns_on(std::string_view value) {
    return !value.empty() && value != "0" && !iequals(value, "no") && !iequals(value, "false") &&
           !iequals(value, "reset");
}

std::vector<SetVariable> set_variables(const Invocation& call, std::span<const option> options) {
    std::vector<SetVariable> found;
    for (const InputVariable& one : input_variables(call.name)) {
        const std::string* const value = call.variable(one.name);
        if (value == nullptr) continue;
        const auto row = std::ranges::find_if(options, [&](const option& o) {
            return o.name != nullptr && std::string_view(o.name) == one.option;
        });
        if (row == options.end()) continue;
        if (row->has_arg == no_argument) {
            if (turns_on(*value)) found.push_back({&one, row->val, nullptr});
        } else if (row->has_arg == optional_argument || !value->empty()) {
            found.push_back({&one, row->val, value->empty() ? nullptr : value->c_str()});
        }
    }
    return found;
}

int error_exit_code(const Invocation& call, int otherwise) {
    return exit_code_in(call, kSlurmExitError, otherwise);
}
int immediate_exit_code(const Invocation& call) {
    return exit_code_in(call, kSlurmExitImmediate, error_exit_code(call));
}

}  // namespace berth::slurm
