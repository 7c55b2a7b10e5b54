// Compaction: writes snapshots, one slice at a time between turns, and cuts the journal behind
// them. The slices of a small state are encoded at once from the state itself, those of a large one
// by a Replica. Until they are written they stay in memory, which takes as much memory as the
// snapshot is long.
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

    // Works for a few milliseconds on whatever is due. After an error the transaction is rolled
    // back and the same work is still due.
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
    std::unique_ptr<Replica> replica_;       // Set while one is at work.
    std::uint64_t taken_at_ = 0;             // The snapshot under way.
    std::size_t slice_ = 0;
    std::deque<std::string> slices_;       // Its slices still to be written.
    std::vector<std::uint64_t> complete_;  // Newest first.
    std::vector<std::uint64_t> doomed_;    // Snapshots to remove.
    std::uint64_t cut_to_ = 0;             // Records up to here are to be removed; 0: none.
};

}  // namespace berth
