// Keepalives: the salloc or srun of an interactive job reports regularly that it is alive. If the
// site sets InactiveLimit, a job whose client has sent nothing for longer is ended.
//
// Keepalives are not recorded: a new controller counts from its own start.
#pragma once

#include <map>
#include <string_view>

#include "berth/control/alarms/job_alarms.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

// The reason of a job that ended so, in Slurm's words.
inline constexpr std::string_view kInactiveLimit = "InactiveLimit";

class Keepalives {
public:
    explicit Keepalives(const ClusterState& state);

    Answer keep_alive(const TurnBuilder& builder, const Principal& principal,
                      const KeepAlive& command);
    void end_silent(TurnBuilder& builder);
    void note(const ClusterState& state, Time now, const ClusterState::Touched& touched);
    std::optional<Time> next() const { return alarms_.next(); }

private:
    void set(const ClusterState& state, JobId job);

    // False until the running jobs that a new controller starts with have been added.
    bool knows_running_ = false;
    Duration limit_{};
    std::map<JobId, Time> heard_;  // Last keepalive of each watched job.
    JobAlarms alarms_;
};

}  // namespace berth
