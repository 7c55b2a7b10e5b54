// StartSearch: the searches of a cycle for one job, for starts that are only asked about.
#pragma once

#include <optional>

#include "berth/engine/derived/derived_state.h"

namespace berth {

class StartSearch {
public:
    // `preference`: of the job in question.
    StartSearch(const ClusterState& state, const DerivedState& derived, Time now,
                const PlacementPreference& preference)
        : state_(state), derived_(derived), now_(now), preference_(preference) {}

    struct Wanted {
        const Demand& demand;
        Duration length{};
        const ClassRequirements* requirements = nullptr;  // nullptr: each node is examined.
        // The job whose affinities count; nullptr: none do.
        const Job* wishing = nullptr;
    };
    // The earliest start in [from, latest] on nodes that are not held for other jobs. An immediate
    // start needs the length; a later one also the slack of a planned start.
    std::optional<Found> earliest(const Wanted& wanted, Time from, Time latest) const;
    std::optional<Found> immediate(const Wanted& wanted) const;

    Duration booked_length(const Wanted& wanted) const;  // With the slack.
    Duration held_length(const Wanted& wanted) const;    // Without, for an immediate start.

private:
    std::optional<Found> earliest_on(const BitSet& nodes, const Wanted& wanted, Time from,
                                     Time latest, bool preferred) const;
    std::optional<Found> immediate_on(const BitSet& nodes, const Wanted& wanted,
                                      bool preferred) const;

    const ClusterState& state_;
    const DerivedState& derived_;
    Time now_;
    const PlacementPreference& preference_;
};

}  // namespace berth
