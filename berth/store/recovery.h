// Recovery: the state out of a snapshot and the records after it.
#pragma once

#include <atomic>
#include <optional>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/chain.h"
#include "berth/store/sqlite.h"

namespace berth {

struct Recovered {
    ClusterState state;
    std::uint64_t sequence = 0;           // Of the last record; 0: none yet.
    Chain chain;                          // Up to it …
    std::optional<Chain> marked;          // … and up to the record that was asked for.
    Epoch epoch{0};                       // Of the last record that was applied.
    std::uint64_t snapshot_sequence = 0;  // That it started from; 0: from nothing.
    std::uint64_t records = 0;            // Applied on top of it …
    std::uint64_t bytes = 0;              // … and their size.
    Time last_at{};                       // Of the last record; the beginning of time: none.
};

enum class RecoverFrom {
    newest,  // The newest complete snapshot.
    oldest,  // The oldest one that is kept, or the first record if that is still there.
};

// The snapshot alone, or nothing at all: what the first record after it is applied to.
Result<Recovered> recover_start(Database& database, RecoverFrom from);

// Reads, and changes nothing. Refuses a journal with a gap or a damaged record, by its number.
// Gives up once `stop` is true. `mark`: the number of a record whose chain is wanted.
Result<Recovered> recover(Database& database, RecoverFrom from,
                          const std::atomic<bool>* stop = nullptr,
                          std::optional<std::uint64_t> mark = std::nullopt);

}  // namespace berth
