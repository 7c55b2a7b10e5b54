// Site: the rules of a seed's cluster beyond nodes and jobs (accounts, QOS and their limits,
// licences, shared GPUs, reservations), and what the users' jobs ask of them.
//
// Uses its own random generator, so that the rest of a world does not depend on it.
#pragma once

#include <string>
#include <vector>

#include "berth/control/turn/command.h"
#include "berth/sim/sim_workload.h"

namespace berth::sim {

// No job asks for more GPUs: each must be able to start under every limit.
inline constexpr std::int64_t kMostGpusOfAJob = 32;

// Adds rules to the cluster. Each kind is in force in some worlds only.
ClusterSpec with_site(ClusterSpec spec, Rng rng);

// Gives the jobs their users, QOS, licences and shares of GPUs.
void ask_of_site(std::vector<PlannedJob>& jobs, const ClusterSpec& cluster, Rng rng);

// A reservation that an operator makes, and the jobs that are submitted to it afterwards.
struct SimReservation {
    Duration make_after{};
    Duration starts_in{}, length{};
    ReservationChange change;  // Without times.
    std::string name;
    std::vector<PlannedJob> jobs;
    std::optional<Duration> delete_in;
};
std::vector<SimReservation> random_reservations(const ClusterSpec& cluster, Rng rng,
                                                Duration within);

}  // namespace berth::sim
