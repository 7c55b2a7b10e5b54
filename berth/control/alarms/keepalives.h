// Keepalives: whether the salloc or srun of an interactive job still says now and then that it is
// there. Where the site has an InactiveLimit, a job whose client has been silent for longer is
// ended.
//
// What was heard is not recorded: for a new controller all have been heard just now.
#pragma once

#include <map>
#include <string_view>

#include "berth/control/alarms/job_alarms.h"
#include "berth/control/turn/turn_builder.h"

namespace berth {

// Why such a job ended, in Slurm's words.
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

    bool knows_running_ = false;  // Those that it found.
    Duration limit_{};
    std::map<JobId, Time> heard_;  // Of jobs that are watched.
    JobAlarms alarms_;
};

}  // namespace berth
