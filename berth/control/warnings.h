// Warnings: which running jobs are to get their --signal, and when.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "berth/engine/cluster_state.h"

namespace berth {

class Warnings {
public:
    explicit Warnings(const ClusterState& state);

    // The jobs as they are now: those that have changed since.
    void note(const ClusterState& state, const ClusterState::Touched& touched);

    std::vector<JobId> due(Time now) const;
    std::optional<Time> next() const;

private:
    void set(JobId job, std::optional<Time> at);

    std::set<std::pair<Time, JobId>> order_;
    std::map<JobId, Time> at_;
};

}  // namespace berth
