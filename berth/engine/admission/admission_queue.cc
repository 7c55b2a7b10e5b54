// Admission: which jobs the queues of a job's account admit.
#include <algorithm>

#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/limits/limit_request.h"
#include "berth/engine/limits/limit_terms.h"

namespace berth {
namespace {

// `reason`: Slurm's, if it has one.
Refusing not_admitted(const QueueSpec& queue, const std::string& why,
                      std::vector<std::string> reason = {}) {
    return {.why = Refusal::over_limit,
            .message = "admission check failed: " + why + " (queue " + queue.name + ")",
            .details = std::move(reason)};
}

// On all the nodes that the job may have.
std::int64_t most_gpus(const ClusterState& state, const Job& job) {
    const ClusterSpec& spec = state.spec();
    Demand demand = demand_of(spec, job);
    if (!demand.fewest_nodes) {
        std::size_t nodes = std::min<std::size_t>(demand.nodes_max, spec.nodes.size());
        if (demand.tasks) nodes = std::min<std::size_t>(nodes, *demand.tasks);
        demand.nodes_min = std::max(demand.nodes_min, static_cast<std::uint32_t>(nodes));
    }
    TresLimit gpus{.kind = TresKind::gres};
    for (const DimensionId type : spec.dimensions.of_name("gpu"))
        gpus.dimensions |= dimension_bit(type);
    return limit_request_of(state, job.partition, demand).of(gpus, demand);
}

// As in Kubernetes, 0 if the job names neither a priority nor a class.
std::int64_t priority_of(const ClusterSpec& spec, const Job& job) {
    if (job.spec.priority.value_or(0) > 0) return *job.spec.priority;
    const std::string& name = job.spec.request->priority_class;
    const auto known = std::ranges::find(spec.priority_classes, name, &PriorityClassSpec::name);
    return known == spec.priority_classes.end() ? 0 : known->value;
}

Objection check_job(const ClusterState& state, const Job& job, const QueueSpec& queue) {
    if (queue.gpus_per_job_max) {
        const std::int64_t gpus = most_gpus(state, job);
        if (gpus > *queue.gpus_per_job_max) {
            return not_admitted(queue,
                                "job GPU request " + std::to_string(gpus) + " exceeds limit " +
                                    std::to_string(*queue.gpus_per_job_max),
                                {"AssocMaxGRESPerJob"});
        }
    }
    if (!queue.priorities) return std::nullopt;
    const std::int64_t priority = priority_of(state.spec(), job);
    const auto [least, most] = *queue.priorities;
    if (priority >= least && priority <= most) return std::nullopt;
    return not_admitted(queue, "job priority " + std::to_string(priority) +
                                   " out of allowed range [" + std::to_string(least) + ", " +
                                   std::to_string(most) + "]");
}

// Visits the queues of the job's account, the nearest first, until one objects.
template <class Check>
Objection check_each(const ClusterState& state, const Job& job, Check check) {
    const QuotaTree& quota = state.quota();
    if (!quota.enforced()) return std::nullopt;
    QuotaTree::Index account = place_in_quota(state, job).account;
    while (account != QuotaTree::kNone) {
        const QuotaTree::AccountRow row = quota.account(account);
        if (row.queue != QuotaTree::kNone) {
            if (Objection no = check(state.spec().queues[row.queue], account)) return no;
        }
        account = row.parent;
    }
    return std::nullopt;
}

}  // namespace

Objection check_queues(const ClusterState& state, const Job& job, const Job* moved) {
    const QuotaTree& quota = state.quota();
    const auto is_full = [&](const QueueSpec& queue, QuotaTree::Index account) {
        if (moved != nullptr && is_counted_in(state, account, *moved)) return false;
        return queue.jobs_max &&
               quota.account(account).use.submitted + jobs_in(job) > *queue.jobs_max;
    };
    return check_each(
        state, job, [&](const QueueSpec& queue, QuotaTree::Index account) -> Objection {
            if (is_full(queue, account)) {
                return not_admitted(queue,
                                    "queue job limit reached: " + std::to_string(*queue.jobs_max),
                                    {"AssocMaxSubmitJobLimit"});
            }
            return check_job(state, job, queue);
        });
}

Objection check_queues_of_update(const ClusterState& state, const Job& changed) {
    return check_each(state, changed, [&](const QueueSpec& queue, QuotaTree::Index) {
        return check_job(state, changed, queue);
    });
}

}  // namespace berth
