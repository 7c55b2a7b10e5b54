// JobFilter: the jobs of a snapshot that a query selects.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "berth/api/job_name.h"
#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

class JobFilter {
public:
    // Refuses an unknown state. `sees_hidden`: also selects jobs of hidden partitions, even if the
    // query names neither the jobs nor the partition.
    static Result<JobFilter> make(const Snapshot& snapshot, const api::JobQuery& query,
                                  bool sees_hidden = true);

    // Only these records.
    static JobFilter only(std::set<JobId> ids);
    // Only this user's among them.
    void keep_to(const Snapshot& snapshot, std::uint32_t uid);

    // The first selected job at or after this id; nullptr: none. REQUIRES: the snapshot that the
    // filter was made for.
    const SnapshotJob* first_from(const Snapshot& snapshot, std::uint32_t id) const;

    // Whether rows of this partition are asked for, of a job that has one for each that it names.
    bool takes(const ClusterSpec& spec, PartitionId partition) const;

private:
    const SnapshotJob* candidate(const Snapshot& snapshot, std::uint32_t id) const;
    const SnapshotJob* first_owned(const Snapshot& snapshot, std::uint32_t id) const;
    bool wants(const Snapshot& snapshot, const Job& job) const;
    bool wants_partition(const ClusterSpec& spec, const Job& job) const;

    std::optional<std::set<JobId>> ids_;        // Only these; nullopt: all.
    std::vector<const IdTable<JobId>*> owned_;  // The jobs of the named users, if any are named.
    std::set<std::string, std::less<>> users_, accounts_, partitions_, names_;
    std::set<PartitionId> hidden_;  // Their jobs are not selected.
    std::set<JobState> states_;
    bool suspended_ = false, configuring_ = false, special_exit_ = false;  // Also selects these.
    bool by_state_ = false;                                                // Only such jobs.
    std::set<NodeId> nodes_;
    bool by_node_ = false;
    std::optional<std::uint32_t> uid_;  // Only this user's.
};

// The records that a name stands for: for "12" of an array its record and its tasks, in id order.
std::set<JobId> records_of(const Snapshot& snapshot, const api::JobName& name);

}  // namespace berth
