// MpsClients: jobs that share a GPU through MPS. The daemon starts before the first of these jobs
// and stops after the last. If the daemon fails, only its GPU becomes unusable.
#pragma once

#include <string>
#include <vector>

#include "berth/host/node/attempt_places.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/mps_daemons.h"
#include "berth/host/node/node_description.h"

namespace berth {

class MpsClients {
public:
    MpsClients(const NodeDescription& description, AttemptPlaces& places, EventQueue& events,
               LogSink& log);

    Status open() { return daemons_.open(); }
    int fd() const { return daemons_.fd(); }  // Readable when on_daemons_ended() is due.

    // If the attempt shares a GPU through MPS, its daemon runs on return. REQUIRES: the attempt has
    // its place.
    Status start_for(const LaunchAttempt& launch, const UserRecord& user);
    std::vector<std::string> environment(const LaunchAttempt& launch) const;

    // Daemons of adopted attempts that failed while no agent ran count as failing now.
    void report_lost();
    void on_daemons_ended();
    void stop_unneeded();

private:
    Cgroup group_of(const MpsKey& key) const;

    const NodeDescription& description_;
    AttemptPlaces& places_;
    EventQueue& events_;
    LogSink& log_;
    MpsDaemons daemons_;
};

}  // namespace berth
