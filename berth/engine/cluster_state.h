// ClusterState: everything durable that Berth knows, and what is derived from it incrementally.
//
// Dense arrays indexed by small ids, changed only by apply(), in O(change), with an undo log for
// trying things (checkpoint, rollback). Never copied per cycle, never rescanned per job.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/event.h"
#include "berth/model/reason.h"

namespace berth {

// What is free on a node now: capacity less what allocations hold, device by device and core by
// core.
struct NodeFree {
    Resources amount;
    BitSet cores;
    DeviceMask devices = 0;
    std::uint32_t jobs = 0;  // That hold something here.
    friend bool operator==(const NodeFree&, const NodeFree&) = default;
};

class ClusterState {
public:
    ClusterState();

    // ---- What is known. All lookups are O(1) or O(log n).
    const ClusterSpec& spec() const;
    Epoch epoch() const;  // Of the last ControllerStarted; 0 before.
    const NodeCondition& condition(NodeId node) const;
    const NodeFree& free(NodeId node) const;
    const Job* find_job(JobId id) const;       // nullptr: not known (any more).
    const std::map<JobId, Job>& jobs() const;  // In id order.
    std::optional<JobId> find_request(std::string_view request_id) const;
    std::vector<JobId> array_members(
        JobId array) const;  // The array's record and its tasks, those still known.
    const PlannedStart* planned(JobId id) const;
    JobId next_job_id() const;

    // Why a pending job does not run, as of the last cycle. Volatile: not journaled, made again by
    // a cycle.
    PendingReason reason(JobId id) const;
    void set_reason(JobId id, PendingReason reason);
    // The node list that goes with req_node_not_avail, and the like. Often empty.
    std::int64_t priority(JobId id) const;  // As of the last cycle; 0 if held.
    void set_priority(JobId id, std::int64_t priority);

    // ---- The only way it changes.
    void apply(Time now, const Fact& fact);

    // ---- Trying things: what is applied between the two is undone, exactly.
    struct Mark {
        std::size_t at = 0;
    };
    Mark checkpoint();
    void rollback(Mark mark);
    void commit(Mark mark);  // Keeps it, and forgets how to undo it.

    // ---- For readers: what changed since the last call, each once, in id order.
    struct Touched {
        std::vector<JobId> jobs, gone;
        std::vector<NodeId> nodes;
        bool spec = false;
    };
    Touched take_touched();

    // The hash of all that is durable: equal after a replay, on every compiler.
    std::uint64_t hash() const;

    // A snapshot, in slices of about `slice_bytes`, and back. The state does not change while it is
    // read.
    std::vector<std::string> snapshot_slices(std::size_t slice_bytes) const;
    static Result<ClusterState> from_slices(std::span<const std::string> slices);

    // Aborts if the state contradicts itself: sums, gangs, masks, plan over capacity. Every test
    // calls it.
    void check_invariants() const;

private:
    // For the implementer.
};

// The later configuration with the ids of the earlier one: nodes, dimensions, partitions and QOS
// that were there keep their index; new ones come after; a node that is gone stays, in no
// partition.
ClusterSpec keep_ids(const ClusterSpec& before, ClusterSpec after);

}  // namespace berth
