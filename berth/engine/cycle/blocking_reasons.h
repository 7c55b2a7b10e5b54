// Blocking reasons: what makes a job ineligible whatever is free: hold, begin time, dependencies,
// state and limits of its partition, its QOS or its array.
#pragma once

#include "berth/engine/derived/budgets.h"
#include "berth/engine/derived/order.h"
#include "berth/engine/limits/limit_check.h"

namespace berth {

enum class Readiness : std::uint8_t { ready, waiting, never };
struct DependencyAnswer {
    Readiness readiness = Readiness::ready;
    // When "after:12+5" will be satisfied, if the job waits for nothing else.
    std::optional<Time> due;
};

// Evaluates dependencies as Slurm does. A job that is no longer known counts as one that satisfied
// the dependency: dependents that waited while it was known were answered then.
DependencyAnswer dependencies_of(const ClusterState& state, const Job& job, Time now);

// The first task of an array record whose own dependencies (aftercorr) are satisfied.
std::optional<std::uint32_t> first_ready_task(const ClusterState& state, const Job& array,
                                              Time now);

// The last moment at which a job with a deadline may start, given the least time that it accepts.
std::optional<Time> last_moment(const Job& job);

// The first blocking reason that applies, in Slurm's order. `running_tasks`: of the job's array.
BlockingReason blocking_reason_of(const ClusterState& state, const Job& job, const Shape& shape,
                                  const Budgets& budgets, std::size_t running_tasks, Time now);

// What jobs of this kind ask for, as limits count it. Found once for all of them.
const LimitRequest& limit_request_of(const ClusterState& state, const Job& job, Kind& kind);
// The limit that keeps a job of this kind from starting now; none: no limit does.
LimitReason limit_reason_of(const ClusterState& state, const Job& job, Kind& kind);
// The minutes that the job's account or association has used up.
std::optional<Excess> budget_of(const ClusterState& state, const Budgets& budgets, const Job& job,
                                Kind& kind);
QuotaStanding quota_standing_of(const ClusterState& state, const Job& job, Kind& kind);

// All blocking reasons that apply.
std::vector<BlockingReason> blocking_reasons_of(const ClusterState& state, const Job& job,
                                                const Shape& shape, const Budgets& budgets,
                                                std::size_t running_tasks, Time now);

// How many jobs may wait ahead. Each release asks the limits of all of them, so they are few
// however deep the plan is.
std::size_t ahead_most(const SchedulingSpec& scheduling);

// The nodes that the demands need and that may not take work: "UnavailableNodes:gpu[1-2]".
std::string missing_nodes(const ClusterState& state, const std::vector<const Demand*>& demands);

// Whether the job's blocking reason may change although neither the job nor the nodes change. It is
// then evaluated in each cycle, and before the job starts. A new reason of this kind must be added
// here.
bool blocking_may_change(const Job& job);

}  // namespace berth
