// LimitNews: which jobs may find another result when their limits are checked again, after runs
// began or ended. For every other job the last result still holds. For each of these runs, that may
// be the case for:
//
// - jobs of the same user and account
// - jobs below an account that limits all its jobs together, if that account is the run's own or
//   above it
// - if the run's QOS has limits per user, per account or in all: jobs of that user, of that account
//   or of that QOS
#pragma once

#include <vector>

#include "berth/engine/state/cluster_state.h"

namespace berth {

class LimitNews {
public:
    // `changed`: from ClusterState::take_changed_uses().
    LimitNews(const ClusterState& state, const LimitUses::Changed& changed);

    bool none() const { return none_; }
    // Whether jobs of each record of usage, and of each QOS, are concerned; by index.
    const std::vector<bool>& usages() const { return usages_; }
    const std::vector<bool>& qos() const { return qos_; }

private:
    std::vector<bool> usages_, qos_;
    bool none_ = true;
};

}  // namespace berth
