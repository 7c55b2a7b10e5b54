// SimJournal: the controller's disk: records and snapshots as bytes. A crash keeps what is
// committed, and keeps or loses the unsynced tail.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/engine/cycle/engine.h"
#include "berth/sim/controller_bugs.h"
#include "berth/sim/stage.h"

namespace berth::sim {

class SimJournal {
public:
    SimJournal(Stage& stage, ControllerBugs bugs) : stage_(stage), bugs_(bugs) {}

    // Written, not yet durable. `hash`: of the state after the record, if given.
    void append(const Record& record, std::optional<std::uint64_t> hash);
    // Makes everything that was appended durable.
    void commit();
    void lose_tail();  // Loses what is not durable.
    std::size_t tail() const { return records_.size() - durable_; }
    // Of the state after the last record. The commit cuts off earlier records.
    void snapshot(const ClusterState& state, std::size_t slice_bytes);

    // The start of a new controller. Checks all stored hashes on the way (invariant I13).
    struct Recovered {
        ClusterState state;
        std::uint64_t next_sequence = 1;
    };
    Recovered recover() const;

    JobPayload payload(JobId job) const;
    std::uint64_t records() const { return appended_; }
    std::uint64_t snapshots() const { return snapshots_; }

private:
    struct Entry {
        std::string bytes;
        std::uint64_t sequence = 0;
        std::optional<std::uint64_t> hash;
        std::vector<JobId> payloads;
    };
    struct Snapshot {
        std::vector<std::string> slices;
        std::uint64_t sequence = 0;
    };

    Stage& stage_;
    ControllerBugs bugs_;
    std::vector<Entry> records_;  // Since the snapshot.
    std::size_t durable_ = 0;     // Number of durable records.
    std::optional<Snapshot> snapshot_, next_snapshot_;
    std::map<JobId, std::string> payloads_;
    std::uint64_t appended_ = 0, snapshots_ = 0;
};

}  // namespace berth::sim
