#include "berth/host/run/run_plan.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/host/run/task_cpus.h"
#include "berth/model/file_pattern.h"
#include "berth/model/job_variables.h"
#include "berth/model/slurm_variables.h"
#include "berth/model/step_io.h"

namespace berth {
namespace {

FilePatternValues job_values(const LaunchAttempt& launch, const NodeView& view) {
    FilePatternValues values;
    values.job = launch.job;
    values.array_job = launch.array_job;
    values.array_task = launch.array_task;
    values.job_name = launch.spec.name;
    values.user = launch.owner.user;
    values.node = view.node.name;
    values.node_index = node_index(launch);
    values.restarts = launch.restarts;
    return values;
}

StreamSpec file_stream(const std::string& pattern, const std::string& work_dir,
                       const FilePatternValues& values, bool truncate) {
    if (pattern == "/dev/null") return {StreamKind::nothing, "", false};
    return {StreamKind::file, expand_output_path(pattern, work_dir, values), truncate};
}

std::uint64_t cpus_per_core(const NodeView& view) { return view.node.threads_per_core; }

// ---- Steps.

std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }
std::string port_of(const std::string& address) { return address.substr(address.rfind(':') + 1); }

// For all tasks of the step on this node.
Environment step_environment(const LaunchStep& launch, const LaunchAttempt& attempt,
                             const NodeView& view) {
    Environment environment(launch.environment);
    const auto name = environment.get("SLURM_JOB_NAME");
    const std::string own_name(name.value_or(""));  // srun -J
    set_job_variables(environment, attempt, view);
    if (!own_name.empty()) environment.set("SLURM_JOB_NAME", own_name);
    const std::string nodes = compress_hostlist_in_order(launch.node_names);
    const auto node_count = static_cast<std::int64_t>(launch.node_names.size());
    const std::string tasks_per_node = counts_text(launch.tasks_per_node);
    environment.set("SLURM_STEP_ID", launch.step.value());
    environment.set("SLURM_STEPID", launch.step.value());
    environment.set("SLURM_STEP_NODELIST", nodes);
    environment.set("SLURM_NODELIST", compress_hostlist_in_order(attempt.node_names));
    environment.set("SLURM_STEP_NUM_NODES", node_count);
    environment.set("SLURM_NNODES", node_count);
    environment.set("SLURM_STEP_NUM_TASKS", launch.tasks);
    environment.set("SLURM_NTASKS", launch.tasks);
    environment.set("SLURM_NPROCS", launch.tasks);
    environment.set("SLURM_STEP_TASKS_PER_NODE", tasks_per_node);
    environment.set("SLURM_TASKS_PER_NODE", tasks_per_node);
    environment.set("SLURM_NODEID", launch.node_index);
    if (!launch.mpi.empty()) environment.set("SLURM_MPI_TYPE", launch.mpi);
    if (launch.terminal) {
        environment.set("SLURM_PTY_WIN_COL", launch.terminal->columns);
        environment.set("SLURM_PTY_WIN_ROW", launch.terminal->rows);
    }
    if (launch.cpus_per_task > 1 || environment.get("SLURM_CPUS_PER_TASK")) {
        environment.set("SLURM_CPUS_PER_TASK", launch.cpus_per_task);
    }
    environment.set("SLURM_CPUS_ON_NODE",
                    static_cast<std::int64_t>(launch.share.cores.count() * cpus_per_core(view)));
    std::vector<std::uint32_t> ranks;
    ranks.reserve(launch.share.tasks.size());
    for (const TaskPlace& task : launch.share.tasks) ranks.push_back(task.rank);
    environment.set("SLURM_GTIDS", numbers_text(ranks));
    if (!launch.io_address.empty()) {
        environment.set("SLURM_LAUNCH_NODE_IPADDR", host_of(launch.io_address));
        environment.set("SLURM_SRUN_COMM_HOST", host_of(launch.io_address));
        environment.set("SLURM_SRUN_COMM_PORT", port_of(launch.io_address));
        environment.set("SLURM_STEP_LAUNCHER_PORT", port_of(launch.io_address));
    }
    set_cpu_bind(environment, launch, attempt, view);
    environment.add(view.environment);
    const auto gpus = static_cast<std::int64_t>(gpus_of(launch.share.devices, view).size());
    if (gpus > 0) {
        environment.set("SLURM_GPUS_ON_NODE", gpus);
    } else {
        environment.unset("SLURM_GPUS_ON_NODE");
    }
    set_gpus(environment, 0, 0, view);  // Each task gets its own; the script's GPUs are removed.
    environment.unset("SLURM_STEP_GPUS");
    return environment;
}

// --preserve-env: these numbers as srun had them.
void keep_given(Environment& environment, const LaunchStep& launch) {
    const Environment given(launch.environment);
    for (const char* name : {kSlurmNtasks, kSlurmNprocs, kSlurmJobNumNodes, kSlurmNnodes}) {
        if (const auto value = given.get(name)) environment.set(name, std::string(*value));
    }
}

MpiStep mpi_of(const LaunchStep& launch) {
    if (launch.mpi.empty()) return {};
    MpiStep mpi{.kind = launch.mpi,
                .name = to_string(launch.job) + "." + to_string(launch.step),
                .tasks = launch.tasks,
                .node_index = launch.node_index,
                .node_count = static_cast<std::uint32_t>(launch.node_names.size()),
                .nodes = compress_hostlist_in_order(launch.node_names),
                .mapping = launch.process_mapping};
    for (const TaskPlace& task : launch.share.tasks) mpi.ranks.push_back(task.rank);
    return mpi;
}

// "none", "all", the number of a single task, or a pattern.
StreamSpec step_stream(const std::string& pattern, const LaunchStep& launch,
                       const FilePatternValues& values, bool output) {
    if (pattern == "none" || pattern == "/dev/null") return {StreamKind::nothing, "", false};
    const StreamKind to_srun = launch.io_address.empty() ? StreamKind::nothing : StreamKind::srun;
    if (pattern.empty() || pattern == "all") return {to_srun, "", false};
    if (const auto only = task_of_pattern(pattern, launch.tasks))
        return {*only == values.task ? to_srun : StreamKind::nothing, "", false};
    // A file shared by several tasks is truncated once, by the first of them; a file of one task,
    // by that task. Nodes cannot agree which task is first: so srun truncates a file shared by
    // several nodes, and here it is only appended to.
    const bool own_file = file_pattern_has(pattern, 't');
    const bool own_by_node = file_pattern_has(pattern, 'n') || file_pattern_has(pattern, 'N');
    const std::uint32_t local = values.task - launch.share.tasks.front().rank;
    const bool one_node = own_by_node || launch.node_names.size() == 1;
    const bool cuts = own_file || (local == 0 && one_node);
    StreamSpec file =
        file_stream(pattern, launch.work_dir, values, output && cuts && !launch.append_output);
    if (output && launch.label) file.label = task_label(values.task, launch.tasks);
    return file;
}

std::string gpu_bind_notice(const TaskPlace& task, const LaunchStep& launch, const NodeView& view) {
    const std::vector<std::uint32_t> all = gpus_of(launch.share.devices, view);
    const std::vector<std::uint32_t> own = gpus_of(task.devices, view);
    const auto mask = [](const std::vector<std::uint32_t>& gpus) {
        DeviceMask bits = 0;
        for (const std::uint32_t gpu : gpus) bits |= bit(static_cast<int>(gpu));
        BitSet set(64);
        for_each_bit(bits, [&](int i) { set.set(static_cast<std::size_t>(i)); });
        std::string text = mask_text(set).substr(2);
        text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
        return "0x" + text;
    };
    Environment local;
    set_gpus(local, task.devices, launch.share.devices, view);
    return "gpu-bind: usable_gres=" + mask(own) + "; bit_alloc=" + mask(all) +
           "; local_inx=" + std::to_string(all.size()) + "; global_list=" + numbers_text(own) +
           "; local_list=" + std::string(local.get("CUDA_VISIBLE_DEVICES").value_or("")) + "\n";
}

TaskSpec task_of(std::size_t local, const LaunchStep& launch, const LaunchAttempt& attempt,
                 const NodeView& view) {
    const TaskPlace& place = launch.share.tasks[local];
    TaskSpec task;
    task.rank = place.rank;
    task.mem_bind = launch.mem_bind;
    task.local = static_cast<std::uint32_t>(local);
    Environment own;
    own.set("SLURM_PROCID", place.rank);
    own.set("SLURM_LOCALID", static_cast<std::int64_t>(local));
    if (const auto gpus = gpus_of(place.devices, view); !gpus.empty()) {
        own.set("SLURM_STEP_GPUS", numbers_text(gpus));
    }
    set_gpus(own, place.devices, launch.share.devices, view);
    task.environment = own.settings();
    FilePatternValues values = job_values(attempt, view);
    values.step = launch.step;
    values.node_index = launch.node_index;
    values.task = place.rank;
    if (launch.terminal) {
        const bool has_it = place.rank == 0;
        task.in.kind = task.out.kind = task.err.kind =
            has_it ? StreamKind::terminal : StreamKind::nothing;
        bind_task(task, local, launch, attempt, view);
        return task;
    }
    task.in = step_stream(launch.std_in, launch, values, false);
    task.out = step_stream(launch.std_out, launch, values, true);
    task.err = step_stream(launch.std_err, launch, values, true);
    // With a file for the output alone, errors go to it too.
    const bool to_file = task.out.kind == StreamKind::file;
    if (launch.errors_with_output || (launch.std_err.empty() && to_file) ||
        (to_file && task.err.path == task.out.path)) {
        task.err = {StreamKind::same_as_out, "", false};
    }
    if (launch.gpu_bind_verbose) task.notice = gpu_bind_notice(place, launch, view);
    bind_task(task, local, launch, attempt, view);
    return task;
}

// --cpu-freq: of all CPUs that its tasks have here, if these are the machine's own.
void set_cpu_frequency(RunSpec& run, const LaunchStep& launch, const LaunchAttempt& attempt,
                       const NodeView& view) {
    if (launch.cpu_frequency.empty() || view.cpus_of_core.empty()) return;
    run.cpu_frequency = launch.cpu_frequency;
    BitSet all;
    for (std::size_t local = 0; local < launch.share.tasks.size(); ++local) {
        const BitSet own = cpus_of_task(local, launch, attempt, view).cpus;
        all = all.empty() ? own : all | own;
    }
    for (std::size_t cpu = all.find_first(); cpu != BitSet::kNone; cpu = all.find_next(cpu))
        run.cpus.push_back(static_cast<std::uint32_t>(cpu));
}

// --gpu-freq: of the GPUs that the job has whole.
void set_gpu_frequency(RunSpec& run, const LaunchStep& launch, const LaunchAttempt& attempt,
                       const NodeView& view) {
    if (launch.gpu_frequency.empty() || gpus_of(launch.share.devices, view).empty()) return;
    run.gpu_frequency = launch.gpu_frequency;
    for_each_bit(launch.share.devices & attempt.share.whole_devices(), [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        if (at >= view.node.devices.size()) return;
        const Device& device = view.node.devices[at];
        if (view.dimensions.at(device.dimension).name == "gpu" && !device.file.empty())
            run.gpu_files.push_back(device.file);
    });
}

}  // namespace

std::string cpus_of(const BitSet& cores, const NodeView& view) {
    return view.cpus_of_core.empty() ? "" : cpu_set(cores, view).to_list();
}

RunSpec batch_run(const LaunchAttempt& launch, const NodeView& view, const UserRecord& user) {
    const JobCommand& command = launch.spec.command;
    RunSpec run;
    run.job = launch.job;
    run.attempt = launch.attempt;
    run.step = kBatchStep;
    run.uid = user.uid;
    run.gid = launch.owner.gid;
    run.user = user.name;
    run.work_dir = command.work_dir;
    run.inherited = command.inherited;
    run.script = launch.payload.script;
    run.arguments.emplace_back();  // Becomes the script's path once it is written.
    run.arguments.insert(run.arguments.end(), command.arguments.begin(), command.arguments.end());
    const FilePatternValues values = job_values(launch, view);
    run.checkpoint = expand_output_path(command.checkpoint, command.work_dir, values);
    Environment environment = batch_environment(launch, view, user);
    environment.unset("BERTH_CHECKPOINT");  // Of the job that submitted it.
    if (!run.checkpoint.empty()) environment.set("BERTH_CHECKPOINT", run.checkpoint);
    run.environment = environment.settings();
    TaskSpec task;
    const std::string out = command.std_out.empty()
                                ? std::string(default_output_pattern(launch.array_task.has_value()))
                                : command.std_out;
    const bool truncate = !command.append_output;
    if (!command.std_in.empty()) {
        task.in = file_stream(command.std_in, command.work_dir, values, false);
    }
    task.out = file_stream(out, command.work_dir, values, truncate);
    task.err = file_stream(command.std_err, command.work_dir, values, truncate);
    if (command.std_err.empty() || task.err == task.out) {
        task.err = {StreamKind::same_as_out, "", false};
    }
    run.tasks.push_back(std::move(task));
    return run;
}

RunSpec step_run(const LaunchStep& launch, const LaunchAttempt& attempt, const NodeView& view,
                 const UserRecord& user) {
    RunSpec run;
    run.job = launch.job;
    run.attempt = launch.attempt;
    run.step = launch.step;
    run.uid = user.uid;
    run.gid = attempt.owner.gid;
    run.user = user.name;
    run.work_dir = launch.work_dir;
    run.inherited = launch.inherited;
    run.arguments = launch.arguments;
    Environment environment = step_environment(launch, attempt, view);
    if (launch.preserve_env) keep_given(environment, launch);
    run.environment = environment.settings();
    run.io_address = launch.io_address;
    run.io_token = launch.io_token;
    run.node_index = launch.node_index;
    run.window = launch.terminal.value_or(TerminalSize{});
    run.task_prolog = attempt.hooks.task_prolog;
    run.task_epilog = attempt.hooks.task_epilog;
    run.own_task_prolog = launch.task_prolog;
    run.own_task_epilog = launch.task_epilog;
    run.mpi = mpi_of(launch);
    for (std::size_t i = 0; i < launch.share.tasks.size(); ++i) {
        run.tasks.push_back(task_of(i, launch, attempt, view));
    }
    set_cpu_frequency(run, launch, attempt, view);
    set_gpu_frequency(run, launch, attempt, view);
    return run;
}

}  // namespace berth
