// Compaction: snapshots written a slice at a time between the turns, and the journal cut behind
// them. The slices of a small state are made at one moment from the state itself, those of a large
// one by a Replica; until they are written they wait in memory, as much of it as the snapshot is
// long.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/log.h"
#include "berth/store/journal_table.h"
#include "berth/store/recovery.h"
#include "berth/store/replica.h"
#include "berth/store/snapshots.h"
#include "berth/store/store_settings.h"

namespace berth {

class Compaction {
public:
    static Result<Compaction> prepare(Database& database, std::string path,
                                      const StoreSettings& settings, const Recovered& recovered,
                                      LogSink& log);

    void appended(std::uint64_t sequence, JournalTable::Stored stored);
    std::uint64_t last_sequence() const { return last_.sequence; }
    Chain last() const { return last_; }

    // A few milliseconds of whatever there is to do. After an error the transaction is undone and
    // the same work is still to do.
    Status advance(Database& database, const ClusterState& state);

private:
    Compaction(std::string path, const StoreSettings& settings, LogSink& log)
        : path_(std::move(path)), settings_(settings), log_(&log) {}
    bool due() const;
    bool idle() const { return slices_.empty() && doomed_.empty() && cut_to_ == 0; }
    Status begin(Database& database, const ClusterState& state);
    Status take_replica(Database& database, const ClusterState& state);
    Status take_slices(Database& database, SnapshotSlices taken);
    Status step(Database& database);
    Status write_slice(Database& database);
    void completed();

    std::string path_;
    StoreSettings settings_;
    LogSink* log_;
    SnapshotTable snapshots_;
    JournalTable journal_;
    Chain last_;                             // Of the journal.
    std::uint64_t records_ = 0, bytes_ = 0;  // Since the newest snapshot.
    std::unique_ptr<Replica> replica_;       // While one is at work.
    std::uint64_t taken_at_ = 0;             // The snapshot under way.
    std::size_t slice_ = 0;
    std::deque<std::string> slices_;       // Of it, still to be written.
    std::vector<std::uint64_t> complete_;  // The newest first.
    std::vector<std::uint64_t> doomed_;    // Snapshots to remove.
    std::uint64_t cut_to_ = 0;             // Records up to here are to go; 0: none.
};

}  // namespace berth
