#include "berth/host/run/job_environment.h"

#include <algorithm>
#include <numeric>

#include "berth/base/hostlist.h"
#include "berth/host/cgroup/device_files.h"
#include "berth/model/job_variables.h"

namespace berth {
namespace {

// Variables of an enclosing job or step, when a job submits a job. They must not leak into this
// one.
constexpr std::string_view kOthers[] = {"SLURM_ARRAY_JOB_ID",
                                        "SLURM_ARRAY_TASK_COUNT",
                                        "SLURM_ARRAY_TASK_ID",
                                        "SLURM_ARRAY_TASK_MAX",
                                        "SLURM_ARRAY_TASK_MIN",
                                        "SLURM_ARRAY_TASK_STEP",
                                        "SLURM_CPUS_ON_NODE",
                                        "SLURM_CPUS_PER_TASK",
                                        "SLURM_DISTRIBUTION",
                                        "SLURM_DIST_PLANESIZE",
                                        "SLURM_CPU_BIND",
                                        "SLURM_CPU_BIND_LIST",
                                        "SLURM_CPU_BIND_TYPE",
                                        "SLURM_CPU_BIND_VERBOSE",
                                        "SLURM_EXPORT_ENV",
                                        "SLURM_GPUS",
                                        "SLURM_GPUS_ON_NODE",
                                        "SLURM_GPUS_PER_NODE",
                                        "SLURM_GPUS_PER_SOCKET",
                                        "SLURM_GPUS_PER_TASK",
                                        "SLURM_GPU_BIND",
                                        "SLURM_GTIDS",
                                        "SLURM_JOB_END_TIME",
                                        "SLURM_JOB_GPUS",
                                        "SLURM_JOB_LICENSES",
                                        "SLURM_JOB_RESERVATION",
                                        "SLURM_JOB_SEGMENT_SIZE",
                                        "SLURM_JOB_START_TIME",
                                        "SLURM_LAUNCH_NODE_IPADDR",
                                        "SLURM_LOCALID",
                                        "SLURM_MEM_PER_CPU",
                                        "SLURM_MEM_PER_NODE",
                                        "SLURM_NODEID",
                                        "SLURM_NPROCS",
                                        "SLURM_NTASKS",
                                        "SLURM_NTASKS_PER_CORE",
                                        "SLURM_NTASKS_PER_NODE",
                                        "SLURM_NTASKS_PER_SOCKET",
                                        "SLURM_OVERCOMMIT",
                                        "SLURM_PROCID",
                                        "SLURM_RESTART_COUNT",
                                        "SLURM_SRUN_COMM_HOST",
                                        "SLURM_SRUN_COMM_PORT",
                                        "SLURM_STEPID",
                                        "SLURM_STEP_GPUS",
                                        "SLURM_STEP_ID",
                                        "SLURM_STEP_LAUNCHER_PORT",
                                        "SLURM_STEP_NODELIST",
                                        "SLURM_STEP_NUM_NODES",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_STEP_TASKS_PER_NODE",
                                        "SLURM_TASK_PID",
                                        "SLURM_THREADS_PER_CORE",
                                        "CUDA_VISIBLE_DEVICES",
                                        "GPU_DEVICE_ORDINAL",
                                        "ROCR_VISIBLE_DEVICES"};

void set_user(Environment& environment, const UserRecord& user) {
    environment.set("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");
    environment.set("HOME", user.home.empty() ? "/" : user.home);
    environment.set("USER", user.name);
    environment.set("LOGNAME", user.name);
    environment.set("SHELL", user.shell.empty() ? "/bin/sh" : user.shell);
    environment.set("TMPDIR", "/tmp");
}

void set(Environment& environment, const Variables& variables) {
    for (const auto& [name, value] : variables) environment.set(name, value);
}

std::vector<std::uint32_t> tasks_per_node(const LaunchAttempt& launch) {
    std::vector<std::uint32_t> tasks;
    tasks.reserve(launch.shares.size());
    for (const NodeShare& share : launch.shares) tasks.push_back(share.tasks);
    return tasks;
}

JobIdentity identity_of(const LaunchAttempt& launch) {
    JobIdentity job{.job = launch.job,
                    .cluster = launch.cluster,
                    .name = launch.spec.name,
                    .account = launch.spec.account,
                    .partition = launch.partition,
                    .qos = launch.qos,
                    .owner = launch.owner,
                    .node_names = launch.node_names,
                    .tasks = tasks_per_node(launch),
                    .started_at = launch.started_at,
                    .ends_at = launch.ends_at};
    for (const NodeShare& share : launch.shares) job.cpus.push_back(share.cpus);
    return job;
}

void set_array(Environment& environment, const LaunchAttempt& launch) {
    if (!launch.array_job || !launch.array_task) return;
    environment.set("SLURM_ARRAY_JOB_ID", launch.array_job->value());
    environment.set("SLURM_ARRAY_TASK_ID", *launch.array_task);
    if (launch.array_bounds.size() < 4) return;
    environment.set("SLURM_ARRAY_TASK_COUNT", launch.array_bounds[0]);
    environment.set("SLURM_ARRAY_TASK_MIN", launch.array_bounds[1]);
    environment.set("SLURM_ARRAY_TASK_MAX", launch.array_bounds[2]);
    environment.set("SLURM_ARRAY_TASK_STEP", launch.array_bounds[3]);
}

void set_topology(Environment& environment, const NodeView& view) {
    std::string address, pattern;
    for (const std::string& one : view.node.switches) {
        address += one + ".";
        pattern += "switch.";
    }
    environment.set("SLURM_TOPOLOGY_ADDR", address + view.node.name);
    environment.set("SLURM_TOPOLOGY_ADDR_PATTERN", pattern + "node");
}

// CUDA finds a MIG instance only by its name. If one of the GPUs is an instance, all are named.
std::string mig_names(DeviceMask devices, const NodeView& view) {
    std::string names;
    bool any = false;
    for_each_bit(devices, [&](int device) {
        const auto at = static_cast<std::size_t>(device);
        if (at >= view.node.devices.size() || view.node.devices[at].uuid.empty()) return;
        const Device& one = view.node.devices[at];
        if (view.dimensions.at(one.dimension).name != "gpu") return;
        any = any || is_mig(one);
        names += (names.empty() ? "" : ",") + one.uuid;
    });
    return any ? names : "";
}

}  // namespace

std::string numbers_text(const std::vector<std::uint32_t>& numbers) {
    std::string text;
    for (const std::uint32_t number : numbers) {
        text += (text.empty() ? "" : ",") + std::to_string(number);
    }
    return text;
}

std::vector<std::uint32_t> gpus_of(DeviceMask devices, const NodeView& view) {
    std::vector<std::uint32_t> gpus;
    for_each_bit(devices, [&](int device) {
        const auto at = static_cast<std::size_t>(device);
        if (at >= view.node.devices.size()) return;
        const Device& one = view.node.devices[at];
        if (view.dimensions.at(one.dimension).name == "gpu") gpus.push_back(one.index);
    });
    std::ranges::sort(gpus);
    return gpus;
}

void set_gpus(Environment& environment, DeviceMask devices, DeviceMask visible,
              const NodeView& view) {
    constexpr const char* kNames[] = {"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                      "ROCR_VISIBLE_DEVICES"};
    std::vector<std::uint32_t> gpus = gpus_of(devices, view);
    if (gpus.empty()) {
        for (const char* name : kNames) environment.unset(name);
        return;
    }
    if (view.devices_isolated) {
        const std::vector<std::uint32_t> seen = gpus_of(visible, view);
        for (std::uint32_t& gpu : gpus) {
            gpu = static_cast<std::uint32_t>(std::ranges::find(seen, gpu) - seen.begin());
        }
    }
    for (const char* name : kNames) environment.set(name, numbers_text(gpus));
    if (const std::string names = mig_names(devices, view); !names.empty())
        environment.set("CUDA_VISIBLE_DEVICES", names);
}

std::uint32_t node_index(const LaunchAttempt& launch) {
    const auto found = std::ranges::find(launch.shares, launch.node, &NodeShare::node);
    if (found == launch.shares.end()) return 0;
    return static_cast<std::uint32_t>(found - launch.shares.begin());
}

void set_job_variables(Environment& environment, const LaunchAttempt& launch,
                       const NodeView& view) {
    set(environment, job_variables(identity_of(launch)));
    environment.set("SLURM_PRIO_PROCESS", 0);
    environment.set("SLURMD_NODENAME", view.node.name);
    environment.set("HOSTNAME", view.hostname);
    set_topology(environment, view);
    set_array(environment, launch);
    const std::vector<std::uint32_t> gpus = gpus_of(launch.share.devices, view);
    if (gpus.empty()) {
        environment.unset("SLURM_JOB_GPUS");
    } else {
        environment.set("SLURM_JOB_GPUS", numbers_text(gpus));
    }
}

Environment batch_environment(const LaunchAttempt& launch, const NodeView& view,
                              const UserRecord& user) {
    Environment environment;
    set_user(environment, user);
    environment.add(launch.payload.environment);
    environment.unset(kJobTokenVariable);  // It is in a file: see AttemptPlaces::make().
    for (const std::string_view name : kOthers) environment.unset(name);
    environment.unset_if([](std::string_view name) {
        return name == "SLURM_HET_SIZE" || name.find("_HET_GROUP_") != std::string_view::npos;
    });
    set_job_variables(environment, launch, view);
    const std::vector<std::uint32_t> tasks = tasks_per_node(launch);
    const std::uint32_t all_tasks = std::accumulate(tasks.begin(), tasks.end(), 0U);
    set(environment, asked_variables(launch.spec.request, launch.spec.command, all_tasks));
    if (launch.restarts > 0) environment.set("SLURM_RESTART_COUNT", launch.restarts);
    environment.set("ENVIRONMENT", "BATCH");
    environment.set("SLURM_NNODES", static_cast<std::int64_t>(launch.node_names.size()));
    environment.set("SLURM_NODELIST", compress_hostlist_in_order(launch.node_names));
    environment.set("SLURM_TASKS_PER_NODE", counts_text(tasks));
    environment.set("SLURM_CPUS_ON_NODE", launch.share.cpus);
    environment.set("SLURM_NODEID", node_index(launch));
    environment.set("SLURM_PROCID", 0);
    environment.set("SLURM_LOCALID", 0);
    environment.set("SLURM_GTIDS", "0");
    if (!environment.get("SLURM_SUBMIT_DIR")) {
        environment.set("SLURM_SUBMIT_DIR", launch.spec.command->work_dir);
    }
    if (!launch.spec.command->submit_host.empty()) {
        environment.set("SLURM_SUBMIT_HOST", launch.spec.command->submit_host);
    }
    environment.add(launch.more_variables);
    environment.add(view.environment);
    const auto gpus = static_cast<std::int64_t>(gpus_of(launch.share.devices, view).size());
    if (gpus > 0) environment.set("SLURM_GPUS_ON_NODE", gpus);
    set_gpus(environment, launch.share.devices, launch.share.devices, view);
    return environment;
}

}  // namespace berth
