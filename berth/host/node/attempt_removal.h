// AttemptRemoval: what is done when an attempt leaves the node: what is known of its runs is
// forgotten, its folder and cgroup are removed, its MPS daemon stops after its last client, and
// shared memory is looked for after the last job of its user.
#pragma once

#include "berth/host/node/attempt_places.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/mps_clients.h"
#include "berth/host/node/shared_memory_watch.h"

namespace berth {

class AttemptRemoval {
public:
    AttemptRemoval(AttemptPlaces& places, LiveRuns& runs, MpsClients& mps,
                   SharedMemoryWatch& shared_memory, LogSink& log)
        : places_(places), runs_(runs), mps_(mps), shared_memory_(shared_memory), log_(log) {}

    void remove(const AttemptKey& attempt);
    // Removes what was still busy when its attempt was removed.
    void remove_retired();
    // Removes orphans of which no process lives.
    void remove_orphans();

private:
    AttemptPlaces& places_;
    LiveRuns& runs_;
    MpsClients& mps_;
    SharedMemoryWatch& shared_memory_;
    LogSink& log_;
};

}  // namespace berth
