// Random facts: clusters, and histories of them that could have happened, for properties over
// seeds.
#pragma once

#include "berth/base/rng.h"
#include "berth/engine/state/cluster_state.h"

namespace berth::testing {

// One to six nodes of one or two kinds, with GPUs of one or two types or none.
ClusterSpec random_cluster(Rng& rng);

// The same cluster after some days: nodes, partitions and GPU types come and go, some features
// change.
ClusterSpec changed_cluster(Rng& rng, ClusterSpec spec);

// What of a node's free cores and devices a job might get: `cores` of them and up to `devices`.
// REQUIRES: so many cores are free.
NodeShare free_share(const ClusterState& state, NodeId node, std::uint32_t cores,
                     std::uint32_t devices);

// Whether runs also start on cores that others lend. The files of tests/baseline are drawn without.
enum class Loans : std::uint8_t { none, some };

// Something that may happen next. Reports of ends may be stale or repeated; all else is possible as
// the state stands.
Fact random_fact(Rng& rng, Time now, const ClusterState& state, Loans loans = Loans::none);

// An installed random cluster, and so many facts after it; `visit` is called after each.
template <class Visit>
ClusterState random_history(Rng& rng, int facts, Visit visit, Loans loans = Loans::none) {
    ClusterState state;
    state.apply(Time{}, ControllerStarted{Epoch(1)});
    state.apply(Time{}, SpecInstalled{random_cluster(rng)});
    Time now{};
    for (int i = 0; i < facts; ++i) {
        now += Duration(rng.between(0, 60'000));
        state.apply(now, random_fact(rng, now, state, loans));
        visit(state);
    }
    return state;
}

}  // namespace berth::testing
