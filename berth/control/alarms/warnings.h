// Warnings: when running jobs get the signal that they asked for with --signal.
#pragma once

#include <optional>
#include <vector>

#include "berth/control/alarms/job_alarms.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

class Warnings {
public:
    explicit Warnings(const ClusterState& state);

    // Takes over the jobs that have changed since the last call.
    void note(const ClusterState& state, const ClusterState::Touched& touched);

    std::vector<JobId> due(Time now) const { return alarms_.due(now); }
    std::optional<Time> next() const { return alarms_.next(); }

private:
    JobAlarms alarms_;
};

}  // namespace berth
