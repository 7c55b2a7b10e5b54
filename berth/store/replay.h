// Replay: rebuilds the state of a state file without a controller. For `berth replay`, and to prove
// that recovery yields the earlier state (invariant I13).
#pragma once

#include <optional>
#include <string>

#include "berth/control/core/decision_check.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

struct Replayed {
    ClusterState state;
    std::uint64_t hash = 0;
    std::uint64_t sequence = 0;           // Of the last record that was applied.
    std::uint64_t snapshot_sequence = 0;  // Where it started; 0: at the first record.
    std::uint64_t records = 0;
};

// Reads only. May run beside a controller and sees committed data. `until`: the last record to
// apply; default: all.
Result<Replayed> replay(const std::string& directory,
                        std::optional<std::uint64_t> until = std::nullopt);

struct Verified {
    std::uint64_t hash = 0;
    std::uint64_t sequence = 0;
    std::uint64_t oldest = 0, newest = 0;  // The two starting points; equal if only one is kept.
    std::uint64_t records = 0;             // Replayed from the older one.
};

// Replays from the oldest and from the newest starting point that is kept, and compares the two
// states. An error names both hashes.
Result<Verified> verify(const std::string& directory);

struct DecidedAgain {
    std::uint64_t oldest = 0, sequence = 0;    // The records after `oldest`, up to `sequence`.
    std::uint64_t decisions = 0, put_off = 0;  // See DecisionCheck.
    std::optional<DecisionCheck::Difference> first;
};

// From the oldest starting point that is kept: lets this program's engine make every decision
// again, and compares with the records.
Result<DecidedAgain> decide_again(const std::string& directory);

}  // namespace berth
