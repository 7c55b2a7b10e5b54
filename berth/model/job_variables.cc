#include "berth/model/job_variables.h"

#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"

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
    Variables all{{"SLURM_CLUSTER_NAME", job.cluster},
                  {"SLURM_JOB_ID", id},
                  {"SLURM_JOBID", id},
                  {"SLURM_JOB_NAME", job.name},
                  {"SLURM_JOB_USER", job.owner.user},
                  {"SLURM_JOB_UID", std::to_string(job.owner.uid)},
                  {"SLURM_JOB_GID", std::to_string(job.owner.gid)}};
    const auto set_if_any = [&](const char* name, const std::string& value) {
        if (!value.empty()) all.emplace_back(name, value);
    };
    set_if_any("SLURM_JOB_GROUP", job.owner.group);
    set_if_any("SLURM_JOB_ACCOUNT", job.account);
    all.emplace_back("SLURM_JOB_PARTITION", job.partition);
    set_if_any("SLURM_JOB_QOS", job.qos);
    all.emplace_back("SLURM_JOB_NODELIST", compress_hostlist_in_order(job.node_names));
    all.emplace_back("SLURM_JOB_NUM_NODES", std::to_string(job.node_names.size()));
    all.emplace_back("SLURM_JOB_CPUS_PER_NODE", counts_text(job.cpus));
    all.emplace_back("SLURM_JOB_START_TIME", std::to_string(seconds(job.started_at)));
    if (job.ends_at) {
        all.emplace_back("SLURM_JOB_END_TIME", std::to_string(seconds(*job.ends_at)));
    }
    return all;
}

Variables asked_variables(const JobRequest& asked, const JobCommand& command, std::uint32_t tasks) {
    Variables all;
    if (asked.tasks || asked.tasks_per_node) {
        const std::string count = std::to_string(asked.tasks.value_or(tasks));
        all.emplace_back("SLURM_NTASKS", count);
        all.emplace_back("SLURM_NPROCS", count);
    }
    const auto number = [&](const char* name, std::optional<std::int64_t> value) {
        if (value) all.emplace_back(name, std::to_string(*value));
    };
    number("SLURM_NTASKS_PER_NODE", asked.tasks_per_node);
    number("SLURM_CPUS_PER_TASK", asked.cpus_per_task);
    if (asked.memory_per_cpu) number("SLURM_MEM_PER_CPU", in_mib(*asked.memory_per_cpu));
    if (asked.memory_per_node) number("SLURM_MEM_PER_NODE", in_mib(*asked.memory_per_node));
    const auto gpus = [&](const char* name, const std::vector<GresRequest>& requests) {
        if (!requests.empty()) all.emplace_back(name, gpus_text(requests));
    };
    gpus("SLURM_GPUS", asked.gpus);
    gpus("SLURM_GPUS_PER_NODE", asked.gpus_per_node);
    gpus("SLURM_GPUS_PER_TASK", asked.gpus_per_task);
    if (!command.gpu_bind.empty()) all.emplace_back("SLURM_GPU_BIND", command.gpu_bind);
    if (!command.export_env.empty()) all.emplace_back("SLURM_EXPORT_ENV", command.export_env);
    return all;
}

}  // namespace berth
