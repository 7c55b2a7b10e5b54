#include "berth/model/job_variables.h"

#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/model/gres_lists.h"
#include "berth/model/slurm_variables.h"

namespace berth {
namespace {

// "3", "a100:3", "a100:2,h100:1": as --gpus takes it.
std::string gpus_text(const std::vector<GresRequest>& requests) {
    std::string text;
    for (const GresRequest& one : requests) {
        if (!text.empty()) text += ',';
        if (!one.type.empty()) text += one.type + ":";
        text += std::to_string(one.count);
    }
    return text;
}

}  // namespace

std::string counts_text(const std::vector<std::uint32_t>& counts) {
    std::string text;
    for (std::size_t i = 0; i < counts.size();) {
        std::size_t same = i + 1;
        while (same < counts.size() && counts[same] == counts[i]) ++same;
        if (!text.empty()) text += ',';
        text += std::to_string(counts[i]);
        if (same - i > 1) text += "(x" + std::to_string(same - i) + ")";
        i = same;
    }
    return text;
}

Variables job_variables(const JobIdentity& job) {
    const std::string id = std::to_string(job.job.value());
    Variables all{{kSlurmClusterName, job.cluster},
                  {kSlurmJobId, id},
                  {kSlurmJobid, id},
                  {kSlurmJobName, job.name},
                  {kSlurmJobUser, job.owner.user},
                  {kSlurmJobUid, std::to_string(job.owner.uid)},
                  {kSlurmJobGid, std::to_string(job.owner.gid)}};
    const auto set_if_any = [&](const char* name, const std::string& value) {
        if (!value.empty()) all.emplace_back(name, value);
    };
    set_if_any(kSlurmJobGroup, job.owner.group);
    set_if_any(kSlurmJobAccount, job.account);
    all.emplace_back(kSlurmJobPartition, job.partition);
    set_if_any(kSlurmJobQos, job.qos);
    all.emplace_back(kSlurmJobNodelist, compress_hostlist_in_order(job.node_names));
    all.emplace_back(kSlurmJobNumNodes, std::to_string(job.node_names.size()));
    all.emplace_back(kSlurmJobCpusPerNode, counts_text(job.cpus));
    all.emplace_back(kSlurmJobStartTime, std::to_string(seconds(job.started_at)));
    if (job.ends_at) {
        all.emplace_back(kSlurmJobEndTime, std::to_string(seconds(*job.ends_at)));
    }
    return all;
}

std::string distribution_text(TaskOrder order, const TaskLayout& layout) {
    constexpr std::string_view kOrders[] = {"*", "block", "cyclic", "plane"};
    constexpr std::string_view kCoreOrders[] = {"*", "block", "cyclic", "fcyclic"};
    const auto place = [](auto one) {
        return std::min<std::size_t>(static_cast<std::size_t>(one), 3);
    };
    std::string text(kOrders[place(order)]);
    const bool over_cores = layout.over_cores != CoreOrder::as_fits;
    if (over_cores || layout.over_sockets != CoreOrder::as_fits)
        (text += ':') += kCoreOrders[place(layout.over_sockets)];
    if (over_cores) (text += ':') += kCoreOrders[place(layout.over_cores)];
    if (layout.pack) text += ",pack";
    return text == "*" ? "" : text;
}

Variables asked_variables(const JobRequest& asked, const JobCommand& command, std::uint32_t tasks) {
    Variables all;
    if (asked.tasks || asked.tasks_per_node) {
        const std::string count = std::to_string(asked.tasks.value_or(tasks));
        all.emplace_back(kSlurmNtasks, count);
        all.emplace_back(kSlurmNprocs, count);
    }
    const auto number = [&](const char* name, std::optional<std::int64_t> value) {
        if (value) all.emplace_back(name, std::to_string(*value));
    };
    number(kSlurmNtasksPerNode, asked.tasks_per_node);
    number(kSlurmCpusPerTask, asked.cpus_per_task);
    if (asked.memory_per_cpu) number(kSlurmMemPerCpu, in_mib(*asked.memory_per_cpu));
    if (asked.memory_per_node && asked.memory_per_node->count() > 0)  // 0: all that a node has.
        number(kSlurmMemPerNode, in_mib(*asked.memory_per_node));
    const TopologyConstraint& near = asked.nearness;
    if (near.layout.per_socket > 0) number(kSlurmNtasksPerSocket, near.layout.per_socket);
    if (near.layout.per_core > 0) number(kSlurmNtasksPerCore, near.layout.per_core);
    if (near.node.threads_per_core > 0) number(kSlurmThreadsPerCore, near.node.threads_per_core);
    number(kSlurmJobSegmentSize, near.segment);
    if (near.layout.overcommit) all.emplace_back(kSlurmOvercommit, "1");
    const std::string order = distribution_text(near.task_order, near.layout);
    if (!order.empty()) all.emplace_back(kSlurmDistribution, order);
    if (near.task_order == TaskOrder::plane) number(kSlurmDistPlanesize, near.plane);
    const auto gpus = [&](const char* name, const std::vector<GresRequest>& requests) {
        if (!requests.empty()) all.emplace_back(name, gpus_text(requests));
    };
    gpus(kSlurmGpus, asked.gpus);
    if (near.layout.gpus_per_socket > 0) {
        gpus(kSlurmGpusPerSocket, gpus_of_socket(asked));
    } else {
        gpus(kSlurmGpusPerNode, asked.gpus_per_node);
    }
    gpus(kSlurmGpusPerTask, asked.gpus_per_task);
    if (!command.gpu_bind.empty()) all.emplace_back(kSlurmGpuBind, command.gpu_bind);
    if (!asked.reservation.empty()) all.emplace_back(kSlurmJobReservation, asked.reservation);
    if (!asked.licenses->counts.empty())
        all.emplace_back(kSlurmJobLicenses, to_text(asked.licenses));
    if (!command.export_env.empty()) all.emplace_back(kSlurmExportEnv, command.export_env);
    return all;
}

}  // namespace berth
