// Recovery: rebuilds the state from a snapshot and the records after it.
#pragma once

#include <atomic>
#include <optional>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/chain.h"
#include "berth/store/sqlite.h"

namespace berth {

struct Recovered {
    ClusterState state;
    std::uint64_t sequence = 0;   // Of the last record that was applied; 0: none yet.
    Chain chain;                  // Up to the last record, applied or not.
    std::optional<Chain> marked;  // Up to the record `mark`, if it was read.
    Epoch epoch{0};               // Of the last applied record.
    // Of the snapshot it started from; 0: it started from nothing.
    std::uint64_t snapshot_sequence = 0;
    std::uint64_t records = 0;  // Records applied after the snapshot.
    std::uint64_t bytes = 0;    // Their size.
    Time last_at{};             // Of the last applied record; Time{} if there is none.
};

enum class RecoverFrom {
    newest,  // The newest complete snapshot.
    oldest,  // The oldest snapshot that is kept, or the first record if that still exists.
};

struct RecoverOptions {
    const std::atomic<bool>* stop = nullptr;  // Gives up once it is true.
    std::optional<std::uint64_t> mark;        // The number of a record whose chain is wanted.
    // The last record to apply. Later records are still read and checked. Default: all.
    std::optional<std::uint64_t> until;
};

// Loads the snapshot alone (or nothing), which the next record is then applied to. Takes no
// snapshot that is newer than `until`.
Result<Recovered> recover_start(Database& database, RecoverFrom from,
                                std::optional<std::uint64_t> until = std::nullopt);

// Reads only. A gap or a damaged record is an error that names its number.
Result<Recovered> recover(Database& database, RecoverFrom from, const RecoverOptions& options = {});

}  // namespace berth
