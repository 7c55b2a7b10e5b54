// Site: the rules of one seed's cluster that stand above nodes and jobs: accounts, QOS and their
// limits, licences, GPUs in parts, reservations; and what the jobs of its users ask of them.
//
// It draws its numbers from a generator of its own, so that the rest of a world does not depend on
// it.
#pragma once

#include <string>
#include <vector>

#include "berth/control/turn/command.h"
#include "berth/sim/workload.h"

namespace berth::sim {

// Each kind of rule is in force in some worlds and not in others.
ClusterSpec with_site(ClusterSpec spec, Rng rng);

// Gives the jobs their users, QOS, licences and parts of GPUs.
void ask_of_site(std::vector<PlannedJob>& jobs, const ClusterSpec& cluster, Rng rng);

// A reservation that an operator makes, and the jobs that are submitted to it once it is there.
struct PlannedReservation {
    Duration make_after{};
    Duration starts_in{}, length{};
    ReservationChange change;  // Without times.
    std::string name;
    std::vector<PlannedJob> jobs;
    std::optional<Duration> delete_in;
};
std::vector<PlannedReservation> random_reservations(const ClusterSpec& cluster, Rng rng,
                                                    Duration within);

}  // namespace berth::sim
