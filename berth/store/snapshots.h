// Snapshots: the whole state in slices, each small enough to write between two turns. The newest
// two that are complete are kept, and the journal from the older one on.
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

    Status begin(Chain last, std::size_t slices);  // Of the last record in it.
    // A slice, packed.
    Status write(std::uint64_t sequence, std::size_t slice, std::string_view packed);
    Status complete(std::uint64_t sequence);
    Status retire(std::uint64_t sequence);  // It is to be removed, and counts no more.
    // Removes one slice of it, or its row after the last one. True: there is more to remove.
    Result<bool> remove_some(std::uint64_t sequence);

    struct Row {
        std::uint64_t sequence = 0;
        std::size_t slices = 0;
        bool complete = false;
        std::uint64_t chain = 0;  // Up to there; 0 in those of version 3.
    };
    Result<std::vector<Row>> list();  // The newest first.

    // Refuses one with a slice missing or not as it was written.
    Result<ClusterState> load(const Row& row);

private:
    Statement insert_, write_, complete_, retire_, remove_slice_, remove_, list_, load_;
};

}  // namespace berth
