// ReadModel: the cluster as readers see it. Every turn of the controller's loop publishes a new
// snapshot, which shares everything unchanged with the previous one. Readers keep the snapshot they
// began with. Readers never wait for the scheduler, nor the scheduler for readers.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/control/core/ports.h"
#include "berth/server/snapshot/id_table.h"

namespace berth {

struct SnapshotJob {
    std::shared_ptr<const Job> job;
    PendingReason reason = PendingReason::none;
    std::string reason_detail;
    std::int64_t priority = 0;
    std::optional<PlannedStart> planned;
};

struct SnapshotNode {
    NodeCondition condition;
    NodeFree free;
    std::optional<Time> last_busy_at;
};

// The jobs of one uid, and its user name when they were submitted.
struct OwnedJobs {
    std::vector<std::string> names;
    IdTable<JobId> jobs;  // By their id.
};

// Immutable once made.
struct Snapshot {
    std::shared_ptr<const ClusterSpec> spec = std::make_shared<ClusterSpec>();
    Time now{};
    std::uint64_t sequence = 0;
    Epoch epoch{0};
    IdTable<SnapshotJob> jobs;    // By job id.
    IdTable<SnapshotNode> nodes;  // By node id.
    // By another key: an array's id → its tasks' ids; planned jobs; completing jobs.
    IdTable<IdTable<JobId>> arrays;
    IdTable<JobId> planned, completing;
    IdTable<OwnedJobs> owners;                // By uid.
    IdTable<UsageRecord> usage;               // By its number.
    IdTable<std::vector<StepUsage>> samples;  // By node id: what ran there when it last measured.
    std::shared_ptr<const std::vector<Reservation>> reservations =
        std::make_shared<std::vector<Reservation>>();  // By name.

    const Job* find_job(JobId id) const;
    const SnapshotNode& node(NodeId id) const;  // A blank one if the node is not known yet.
};

class ReadModel : public Readers {
public:
    ReadModel();
    void publish(const ClusterState& state, const Changes& changes) override;
    std::shared_ptr<const Snapshot> current() const { return current_.load(); }

private:
    void put_all(const ClusterState& state);
    void put_reservations(const ClusterState& state);
    void put_job(const ClusterState& state, JobId id);
    void put_usage(const ClusterState& state, std::size_t index);
    void put_node(const ClusterState& state, NodeId id);
    void drop_job(JobId id);
    void index(const Job& job, bool planned);
    void forget_in_array(const Job& job);
    void index_owner(const Job& job);
    void forget_owner(const Job& job);

    std::uint64_t turn_ = 1;
    Snapshot next_;  // The next snapshot in preparation; only for the publishing thread.
    std::atomic<std::shared_ptr<const Snapshot>> current_;
};

}  // namespace berth
