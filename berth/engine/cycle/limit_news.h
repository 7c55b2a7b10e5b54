// LimitNews: for whom limits may answer otherwise than before, after runs began or ended: jobs of
// the same user and account, of an account with a limit above one of those, and, where their QOS
// has a limit on each user, each account or all of its jobs, of that user, that account, that QOS.
// All others need not be asked again.
#pragma once

#include <vector>

#include "berth/engine/derived/order.h"

namespace berth {

class LimitNews {
public:
    // What has changed since the last time it was taken.
    LimitNews(const ClusterState& state, const LimitUses::Changed& changed);

    bool concerns(const PendingJob& job) const;

private:
    const ClusterState& state_;
    std::vector<bool> usages_;  // By number: ClusterState::usage().
    std::vector<bool> qos_;
    bool none_ = true;
};

}  // namespace berth
