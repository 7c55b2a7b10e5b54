// Random facts about what administrators declare, and the terms of jobs: reservations, accounts,
// limits, licenses, deadlines.
#pragma once

#include <optional>

#include "berth/base/rng.h"
#include "berth/engine/state/cluster_state.h"

namespace berth::testing {

// Licenses, a deadline, a least time, a reservation: now and then.
void add_random_terms(Rng& rng, Time now, const ClusterState& state, Job& job);
std::vector<LicenseSpec> random_licenses(Rng& rng);

// Something declared that may happen next; nullopt: not as the state stands.
std::optional<Fact> random_reservation(Rng& rng, Time now, const ClusterState& state);
std::optional<Fact> random_reservation_end(Rng& rng, Time now, const ClusterState& state);
std::optional<Fact> random_accounting_edit(Rng& rng, Time now, const ClusterState& state);
std::optional<Fact> random_missed_deadline(Rng& rng, Time now, const ClusterState& state);

}  // namespace berth::testing
