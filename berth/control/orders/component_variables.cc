#include "berth/control/orders/component_variables.h"

#include "berth/model/job_variables.h"

namespace berth {

std::vector<std::string> component_variables(const ClusterState& state, const Job& job) {
    if (!job.het) return {};
    std::vector<std::string> all{"SLURM_HET_SIZE=" + std::to_string(job.het->size)};
    for (std::uint32_t i = 0; i < job.het->size; ++i) {
        const Job* const one = state.find_job(job.het->id(i));
        if (one == nullptr || !one->allocation) continue;
        const ClusterSpec& spec = state.spec();
        JobIdentity identity{.job = one->id,
                             .cluster = spec.name,
                             .name = one->spec.name,
                             .account = one->spec.account,
                             .partition = spec.partition(one->partition).name,
                             .qos = spec.qos[one->qos.index()].name,
                             .owner = one->owner,
                             .started_at = one->started_at.value_or(Time{}),
                             .ends_at = limit_ends(*one)};
        std::uint32_t tasks = 0;
        for (const NodeShare& share : one->allocation->shares) {
            identity.node_names.push_back(spec.node(share.node).name);
            identity.cpus.push_back(share.cpus);
            identity.tasks.push_back(share.tasks);
            tasks += share.tasks;
        }
        const std::string suffix = "_HET_GROUP_" + std::to_string(i) + "=";
        for (const auto& [name, value] : job_variables(identity)) {
            all.push_back((name + suffix).append(value));
        }
        all.push_back("SLURM_TASKS_PER_NODE" + suffix + counts_text(identity.tasks));
        for (const auto& [name, value] :
             asked_variables(one->spec.request, one->spec.command, tasks)) {
            all.push_back((name + suffix).append(value));
        }
    }
    return all;
}

}  // namespace berth
