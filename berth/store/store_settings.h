// StoreSettings: how the store keeps its file. Sites may change some of them.
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
    // A snapshot is due after this many records, or this many bytes of records.
    std::uint64_t snapshot_records = 50'000;
    std::uint64_t snapshot_bytes = 64 << 20;
    std::size_t slice_bytes = 256 << 10;
    // With more jobs and nodes than this, a Replica makes the snapshots: encoding the state itself
    // would delay the controller too long.
    std::size_t live_snapshot_things = 4000;
    Duration rest_budget = std::chrono::milliseconds(4);  // Time of one rest() for snapshots.
    bool keep_journal = false;  // Never cut the journal, so that all of it can be replayed.
    std::int64_t reserve_bytes = 64 << 20;
    FreeSpace::Ask free_bytes;  // nullptr: ask the file system.
    CheckpointSettings checkpoints;
    // Part of SQLite's log that LogRoom prepares, once there are more jobs and nodes than
    // live_snapshot_things.
    std::int64_t log_bytes = 64 << 20;
    std::string vfs;  // VFS of SQLite; empty: the default. For tests.
    // Start although records are missing at the end, or the tail is unreadable. What is there must
    // be sound. The next controller counts as later than all before.
    bool accept_loss = false;
    RetentionSettings retention;
};

}  // namespace berth
