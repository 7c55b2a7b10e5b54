// Compaction: snapshots written a slice at a time between the turns, and the journal cut behind
// them. The slices are made at one moment, from the state as it stands, and wait in memory: about
// as much of it as the snapshot is long.
#pragma once

#include <deque>

#include "berth/store/journal_table.h"
#include "berth/store/recovery.h"
#include "berth/store/snapshots.h"
#include "berth/store/store.h"

namespace berth {

class Compaction {
public:
    static Result<Compaction> prepare(Database& database, const StoreSettings& settings,
                                      const Recovered& recovered);

    void appended(std::uint64_t sequence, std::size_t bytes);
    std::uint64_t last_sequence() const { return last_sequence_; }

    // A few milliseconds of whatever there is to do. After an error the transaction is undone and
    // the same work is still to do.
    Status advance(Database& database, const ClusterState& state);

private:
    bool due() const;
    bool idle() const { return slices_.empty() && doomed_.empty() && cut_to_ == 0; }
    Status begin(Database& database, const ClusterState& state);
    Status step(Database& database);
    Status write_slice(Database& database);
    void completed();

    SnapshotTable snapshots_;
    JournalTable journal_;
    StoreSettings settings_;
    std::uint64_t last_sequence_ = 0, records_ = 0, bytes_ = 0;  // Since the newest snapshot.
    std::uint64_t taken_at_ = 0;                                 // The snapshot under way.
    std::size_t slice_ = 0;
    std::deque<std::string> slices_;       // Of it, still to be written.
    std::vector<std::uint64_t> complete_;  // The newest first.
    std::vector<std::uint64_t> doomed_;    // Snapshots to remove.
    std::uint64_t cut_to_ = 0;             // Records up to here are to go; 0: none.
};

}  // namespace berth
