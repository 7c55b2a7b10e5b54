// RunStarter: starts attempts, their steps, and the site's prolog and epilog, each run under a
// shepherd of its own. What cannot start is refused: the agent is told RunFailedToStart.
#pragma once

#include "berth/host/node/attempt_places.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/mps_clients.h"
#include "berth/host/node/node_description.h"

namespace berth {

class RunStarter {
public:
    RunStarter(const NodeDescription& description, AttemptPlaces& places, LiveRuns& runs,
               MpsClients& mps, EventQueue& events)
        : description_(description), places_(places), runs_(runs), mps_(mps), events_(events) {}

    void start_attempt(const LaunchAttempt& launch);
    void start_step(const StartStep& start);
    void start_hook(const StartHook& start);

private:
    Status prepare_attempt(const LaunchAttempt& launch);
    Status prepare_hook(const StartHook& start);
    Status make_way(const RunKey& key);
    NodeView view_of_job(const LaunchAttempt& launch) const;
    Status start_run(RunSpec spec, const LaunchAttempt& launch, const StepShare* step);
    void refuse(const RunKey& run, const Error& why);

    const NodeDescription& description_;
    AttemptPlaces& places_;
    LiveRuns& runs_;
    MpsClients& mps_;
    EventQueue& events_;
};

}  // namespace berth
