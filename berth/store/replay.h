// Replay: the state that a state file holds, made again without a controller. For `berth replay`,
// and to prove that recovery gives what was there before (invariant I13).
#pragma once

#include <optional>
#include <string>

#include "berth/control/core/decision_check.h"
#include "berth/engine/state/cluster_state.h"

namespace berth {

struct Replayed {
    ClusterState state;
    std::uint64_t hash = 0;
    std::uint64_t sequence = 0;           // Of the last record.
    std::uint64_t snapshot_sequence = 0;  // Where it started; 0: at the first record.
    std::uint64_t records = 0;
};

// Changes nothing, and may run beside a controller: it sees what is committed.
Result<Replayed> replay(const std::string& directory);

struct Verified {
    std::uint64_t hash = 0;
    std::uint64_t sequence = 0;
    std::uint64_t oldest = 0, newest = 0;  // Of the two starting points; equal: only one is kept.
    std::uint64_t records = 0;             // Replayed from the older one.
};

// Replays twice, from the oldest and from the newest point that are kept, and compares the two
// states. An error names both hashes.
Result<Verified> verify(const std::string& directory);

struct DecidedAgain {
    std::uint64_t oldest = 0, sequence = 0;    // Behind this record, and up to that one.
    std::uint64_t decisions = 0, put_off = 0;  // See DecisionCheck.
    std::optional<DecisionCheck::Difference> first;
};

// From the oldest point that is kept: has this program's engine decide everything again, and
// compares with what is recorded.
Result<DecidedAgain> decide_again(const std::string& directory);

}  // namespace berth
