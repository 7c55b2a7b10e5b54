#include "berth/engine/cycle/open_cycle.h"

namespace berth {

OpenCycle::OpenCycle(ClusterState& state, DerivedState& derived, Time now, std::uint32_t budget)
    : state_(state),
      derived_(derived),
      now_(now),
      view_(state, derived, now),
      preference_{derived.policy.placement(), view_,  JobId(0),
                  &derived.domains,           &state, &derived.topologies},
      budget_(budget) {
    derived_.moves.begin(now);
}

void OpenCycle::prefer_for(const PendingJob& job) {
    preference_.job = job.id;
    preference_.policy = derived_.policy.placement(state_.spec().partition(job.partition));
}

void OpenCycle::decide(Fact fact) {
    state_.apply(now_, fact);
    derived_.note(state_, now_, fact);
    decisions_.push_back(std::move(fact));
}

void OpenCycle::record(Fact fact) {
    state_.apply(now_, fact);
    decisions_.push_back(std::move(fact));
}

bool OpenCycle::started_most() const {
    const std::uint32_t most = scheduling().planning.starts_max;
    return most > 0 && work_.starts >= most;
}

bool OpenCycle::spend() {
    if (budget_ == 0 || started_most()) {
        complete_ = false;
        return false;
    }
    --budget_;
    ++work_.tries;
    return true;
}

Cycle OpenCycle::close(std::optional<Time> wake_at) {
    return {.decisions = std::move(decisions_),
            .complete = complete_,
            .wake_at = wake_at,
            .work = work_};
}

}  // namespace berth
