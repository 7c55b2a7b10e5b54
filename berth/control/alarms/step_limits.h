// StepLimits: ends the steps whose own time limit is over (srun --time within a job).
#pragma once

#include <optional>

#include "berth/control/alarms/job_alarms.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

class StepLimits {
public:
    explicit StepLimits(const ClusterState& state);

    // Takes over the jobs that have changed since the last call.
    void note(const ClusterState& state, const ClusterState::Touched& touched);
    // Records of each such step that its time is over; OrderSync tells its nodes.
    void end_due(TurnBuilder& builder) const;
    std::optional<Time> next() const { return alarms_.next(); }

private:
    JobAlarms alarms_;  // When the first step of the job is over its limit.
};

}  // namespace berth
