#include "berth/engine/cycle/blocking_reasons.h"

#include <algorithm>
#include <utility>

#include "berth/base/hostlist.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

BlockingReason shut(PendingReason reason, Maybe<Time> until = {}) {
    return {.reason = reason, .more = BlockingReason::More{.until = until}};
}

BlockingReason hold_blocking(const Job& job) {
    for (const PendingReason known :
         {PendingReason::launch_failed_requeued_held, PendingReason::reservation_deleted}) {
        if (job.hold == Hold::admin && job.state_reason == slurm_name(known)) return shut(known);
    }
    return shut(job.hold == Hold::admin ? PendingReason::job_held_admin
                                        : PendingReason::job_held_user);
}

BlockingReason partition_blocking(const ClusterSpec& spec, const Job& job, const Demand& demand) {
    const PartitionSpec& partition = spec.partition(job.partition);
    if (partition.state == PartitionState::down) return shut(PendingReason::partition_down);
    if (partition.state == PartitionState::inactive) {
        return shut(PendingReason::partition_inactive);
    }
    const std::size_t most =
        std::min<std::size_t>(partition.max_nodes.value_or(UINT32_MAX), partition.nodes.size());
    if (demand.nodes_min > most || demand.nodes_max < partition.min_nodes) {
        return shut(PendingReason::partition_node_limit);
    }
    if (partition.max_time && job.time_limit > *partition.max_time) {
        return shut(PendingReason::partition_time_limit);
    }
    if (exceeds_node_memory(spec, partition, demand)) return shut(PendingReason::max_mem_per_limit);
    return {};
}

}  // namespace

std::string missing_nodes(const ClusterState& state, const std::vector<const Demand*>& demands) {
    const auto wants = [](const Demand& demand, std::size_t n) {
        if (!demand.required.empty()) return demand.required.test(n);
        return std::ranges::any_of(demand.choices, [&](const BitSet& c) { return c.test(n); });
    };
    std::vector<std::string> names;
    for (std::size_t n = 0; n < state.spec().nodes.size(); ++n) {
        const NodeId node = NodeId::from_index(n);
        const bool wanted =
            std::ranges::any_of(demands, [&](const Demand* demand) { return wants(*demand, n); });
        if (wanted && !state.nodes().condition(node).schedulable()) {
            names.push_back(state.spec().node(node).name);
        }
    }
    return "UnavailableNodes:" + compress_hostlist(std::move(names));
}

bool blocking_may_change(const Job& job) {
    return job.hold != Hold::none || job.spec.begin || job.spec.deadline || wait_end(job) ||
           !job.spec.dependencies.empty() || job.spec.array || job.array_job ||
           job.hook != ControllerHook::none;
}

std::optional<Time> last_moment(const Job& job) {
    const std::optional<Time> end = wait_end(job);
    const Time by_wait = end ? *end - Duration(1) : Time::max();
    if (!job.spec.deadline) return end ? std::optional(by_wait) : std::nullopt;
    const Duration least = job.spec.time_min.value_or(job.time_limit);
    if (least >= *job.spec.deadline - Time{}) return Time::min();
    return std::min(by_wait, *job.spec.deadline - least);
}

namespace {

// What the job record itself says.
BlockingReason own_blocking(const ClusterState& state, const Job& job, Time now) {
    if (job.dependency_failed) return shut(PendingReason::dependency_never_satisfied);
    const DependencyAnswer dependencies = dependencies_of(state, job, now);
    if (dependencies.readiness == Readiness::never) {
        return shut(PendingReason::dependency_never_satisfied);
    }
    if (dependencies.readiness == Readiness::waiting) {
        return shut(PendingReason::dependency, dependencies.due);
    }
    return {};
}

BlockingReason qos_blocking(const ClusterSpec& spec, const Job& job) {
    const QosSpec* const qos = wall_qos(spec, job.partition, job.qos);
    return qos != nullptr && job.time_limit > *qos->max_wall ? shut(PendingReason::qos_max_wall)
                                                             : BlockingReason{};
}

BlockingReason array_blocking(const Job& job, std::size_t running_tasks) {
    const std::uint32_t most = job.spec.array ? job.spec.array->max_running : job.array_max_running;
    const bool of_array = job.spec.array || job.array_task;
    return of_array && most > 0 && running_tasks >= most ? shut(PendingReason::job_array_task_limit)
                                                         : BlockingReason{};
}

BlockingReason feasibility_blocking(const ClusterState& state, const Shape& shape) {
    if (shape.kind->feasibility == Kind::Feasibility::never)
        return shut(PendingReason::bad_constraints);
    if (shape.kind->feasibility != Kind::Feasibility::not_now) return {};
    SharedText& missing = shape.kind->missing;  // Composed once for all jobs of this kind.
    if (missing.empty()) missing = missing_nodes(state, {&shape.demand()});
    return {.reason = PendingReason::req_node_not_avail,
            .more = BlockingReason::More{.detail = missing}};
}

// Visits the reasons that apply, in Slurm's order, until `visit` returns false.
template <class Visit>
void each_shut(const ClusterState& state, const Job& job, const Shape& shape,
               const Budgets& budgets, std::size_t running_tasks, Time now, Visit visit) {
    const auto goes_on = [&](const BlockingReason& blocking) {
        return blocking.reason == PendingReason::none || visit(blocking);
    };
    if (const auto last = last_moment(job); last && *last < now) {
        if (!visit(shut(PendingReason::deadline))) return;
    }
    if (job.hold != Hold::none && !visit(hold_blocking(job))) return;
    if (job.hook != ControllerHook::none && !visit(shut(PendingReason::cleaning))) return;
    if (job.spec.begin && *job.spec.begin > now) {
        if (!visit(shut(PendingReason::begin_time, job.spec.begin))) return;
    }
    if (!goes_on(own_blocking(state, job, now))) return;
    if (!goes_on(partition_blocking(state.spec(), job, shape.demand()))) return;
    if (!goes_on(qos_blocking(state.spec(), job))) return;
    const LimitReason limit = limit_reason_of(state, job, *shape.kind);
    if (limit.reason != PendingReason::none) {
        BlockingReason blocking = shut(limit.reason);
        blocking.by_limit = true;
        blocking.by_quota = limit.of_quota;
        if (!visit(blocking)) return;
    }
    if (const auto budget = budget_of(state, budgets, job, *shape.kind)) {
        BlockingReason blocking = shut(budget->reason);
        blocking.by_budget = true;
        if (!visit(blocking)) return;
    }
    if (!goes_on(array_blocking(job, running_tasks))) return;
    goes_on(feasibility_blocking(state, shape));
}

}  // namespace

std::size_t ahead_most(const SchedulingSpec& scheduling) {
    return std::min<std::size_t>(scheduling.plan_depth, 500);
}

const LimitRequest& limit_request_of(const ClusterState& state, const Job& job, Kind& kind) {
    if (!kind.asked) kind.asked = limit_request_of(state, job.partition, kind.demand);
    return *kind.asked;
}

LimitReason limit_reason_of(const ClusterState& state, const Job& job, Kind& kind) {
    if (!state.quota().enforced()) return {};
    return limit_reason_on_start(state, job, kind.demand, limit_request_of(state, job, kind));
}

std::optional<Excess> budget_of(const ClusterState& state, const Budgets& budgets, const Job& job,
                                Kind& kind) {
    if (!budgets.any()) return std::nullopt;
    return budgets.find(state, job, kind.demand, limit_request_of(state, job, kind));
}

QuotaStanding quota_standing_of(const ClusterState& state, const Job& job, Kind& kind) {
    if (state.quota().queues().tres().empty()) return QuotaStanding::unbounded;
    return quota_standing(state, job, kind.demand, limit_request_of(state, job, kind));
}

BlockingReason blocking_reason_of(const ClusterState& state, const Job& job, const Shape& shape,
                                  const Budgets& budgets, std::size_t running_tasks, Time now) {
    BlockingReason first;
    each_shut(state, job, shape, budgets, running_tasks, now, [&](const BlockingReason& blocking) {
        first = blocking;
        return false;
    });
    return first;
}

std::vector<BlockingReason> blocking_reasons_of(const ClusterState& state, const Job& job,
                                                const Shape& shape, const Budgets& budgets,
                                                std::size_t running_tasks, Time now) {
    std::vector<BlockingReason> all;
    each_shut(state, job, shape, budgets, running_tasks, now, [&](const BlockingReason& blocking) {
        all.push_back(blocking);
        return true;
    });
    return all;
}

}  // namespace berth
