// Snapshots: the whole state in slices, each small enough to be written between two turns. Kept are
// the two newest complete snapshots, and the journal from the older one on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/chain.h"
#include "berth/store/sqlite.h"

namespace berth {

class SnapshotTable {
public:
    static Result<SnapshotTable> prepare(Database& database);

    // `last`: up to the last record that the snapshot includes.
    Status begin(Chain last, std::size_t slices);
    // Writes a slice, which the caller has compressed.
    Status write(std::uint64_t sequence, std::size_t slice, std::string_view packed);
    Status complete(std::uint64_t sequence);
    Status retire(std::uint64_t sequence);  // Marks it for removal; it no longer counts.
    // Removes one slice, or, after the last slice, the snapshot's row. Returns true if more remains
    // to be removed.
    Result<bool> remove_some(std::uint64_t sequence);

    struct Row {
        std::uint64_t sequence = 0;
        std::size_t slices = 0;
        bool complete = false;
        std::uint64_t chain = 0;  // Up to its last record; 0 in those of version 3.
    };
    Result<std::vector<Row>> list();  // Newest first.

    // Rejects a snapshot with a missing or damaged slice.
    Result<ClusterState> load(const Row& row);

private:
    Statement insert_, write_, complete_, retire_, remove_slice_, remove_, list_, load_;
};

}  // namespace berth
