// JobFilter: which jobs of an edition a query asks for.
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
    // Refuses a state that there is not. `sees_hidden`: the jobs of hidden partitions as well,
    // though the query names neither them nor their partition.
    static Result<JobFilter> make(const Snapshot& snapshot, const api::JobQuery& query,
                                  bool sees_hidden = true);

    // These records and no others.
    static JobFilter only(std::set<JobId> ids);
    // Of those, the ones of this user alone.
    void keep_to(const Snapshot& snapshot, std::uint32_t uid);

    // The first at or after this id that is wanted; nullptr: no more. The edition is the one that
    // it was made for.
    const SnapshotJob* first_from(const Snapshot& snapshot, std::uint32_t id) const;

private:
    const SnapshotJob* candidate(const Snapshot& snapshot, std::uint32_t id) const;
    const SnapshotJob* first_owned(const Snapshot& snapshot, std::uint32_t id) const;
    bool wants(const Snapshot& snapshot, const Job& job) const;

    std::optional<std::set<JobId>> ids_;        // Only these; nullopt: all.
    std::vector<const IdTable<JobId>*> owned_;  // Where users are named: what they have.
    std::set<std::string, std::less<>> users_, accounts_, partitions_, names_;
    std::set<PartitionId> hidden_;  // Jobs there are not wanted.
    std::set<JobState> states_;
    bool suspended_ = false, configuring_ = false;  // These, too.
    std::set<NodeId> nodes_;
    bool by_node_ = false;
    std::optional<std::uint32_t> uid_;  // Only this user's.
};

// The records that a name means: for "12" of an array its record and its tasks, in id order.
std::set<JobId> records_of(const Snapshot& snapshot, const api::JobName& name);

}  // namespace berth
