// StoreSettings: what a site may choose of how the store keeps its file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "berth/base/time.h"
#include "berth/store/checkpointer.h"
#include "berth/store/free_space.h"
#include "berth/store/retention.h"

namespace berth {

struct StoreSettings {
    // A snapshot is due after so many records, or so many bytes of them.
    std::uint64_t snapshot_records = 50'000;
    std::uint64_t snapshot_bytes = 64 << 20;
    std::size_t slice_bytes = 256 << 10;
    // With more jobs and nodes than this, a snapshot is made by a Replica: encoding the state
    // itself would hold the controller up for too long.
    std::size_t live_snapshot_things = 4000;
    Duration rest_budget = std::chrono::milliseconds(4);  // Of one rest(), for snapshots.
    bool keep_journal = false;                            // Never cut: all of it can be replayed.
    std::int64_t reserve_bytes = 64 << 20;
    FreeSpace::Ask free_bytes;  // nullptr: ask the file system.
    CheckpointSettings checkpoints;
    // Of SQLite's log, made ready ahead of use once there are more things than above.
    std::int64_t log_bytes = 64 << 20;
    std::string vfs;  // Of SQLite; empty: its own. For tests.
    // Start in spite of records that are missing at the end, or of a tail that cannot tell. What is
    // there must be sound. The next controller counts as later than all before.
    bool accept_loss = false;
    RetentionSettings retention;
};

}  // namespace berth
