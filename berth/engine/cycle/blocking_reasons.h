// Gates: what keeps a job from being looked at whatever is free: hold, begin time, dependencies,
// the partition's state and limits, the QOS's, its array's.
#pragma once

#include "berth/engine/derived/order.h"
#include "berth/engine/limits/limit_check.h"

namespace berth {

enum class Readiness : std::uint8_t { ready, waiting, never };
struct DependencyAnswer {
    Readiness readiness = Readiness::ready;
    std::optional<Time> due;  // When "after:12+5" will be over, if that is all it waits for.
};

// As Slurm counts them. A job that is not known any more counts as one that did what was wanted of
// it: who waited for it while it was known has been told.
DependencyAnswer dependencies_of(const ClusterState& state, const Job& job, Time now);

// The first task of an array record whose own dependencies (aftercorr) are out of the way.
std::optional<std::uint32_t> first_ready_task(const ClusterState& state, const Job& array,
                                              Time now);

// The last moment at which a job with a deadline may start, with the least time that it would do
// with.
std::optional<Time> last_moment(const Job& job);

// The first gate that is shut, in Slurm's order. `running_tasks`: of the job's array. `holders`: as
// limit_on_start() takes them.
BlockingReason blocking_reason_of(const ClusterState& state, const Job& job, const Shape& shape,
                                  std::size_t running_tasks, Time now,
                                  const LimitHolders* holders = nullptr);

// All that are shut.
std::vector<BlockingReason> blocking_reasons_of(const ClusterState& state, const Job& job,
                                                const Shape& shape, std::size_t running_tasks,
                                                Time now);

// The nodes without which they cannot run, and that may not take work: "UnavailableNodes:gpu[1-2]".
std::string missing_nodes(const ClusterState& state, const std::vector<const Demand*>& demands);

// Whether the gate of a job may open or shut though the job and the nodes stay as they are: it is
// asked again in each cycle, and before the job starts. Who adds such a gate adds to this.
bool blocking_may_change(const Job& job);

}  // namespace berth
