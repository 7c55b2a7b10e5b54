// JobIndex: finds jobs by something other than their id. It depends on the job records alone,
// through one add() and remove() for each, so it is never saved and cannot drift from them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "berth/engine/state/job_names.h"
#include "berth/engine/state/job_set.h"
#include "berth/model/job.h"

namespace berth {

class JobIndex {
public:
    void add(const Job& job);
    void remove(const Job& job);  // REQUIRES: the job as it was added.

    std::optional<JobId> find_request(std::string_view request_id) const;
    std::vector<JobId> array_tasks(JobId array) const;  // Without the array's own record.
    std::vector<JobId> on_node(NodeId node) const;      // Jobs that hold something on the node.
    std::vector<JobId> dependents(JobId job) const;  // Pending jobs that name it as a dependency.
    // Unfinished jobs of this owner and name, for singleton dependencies.
    std::vector<JobId> singletons(std::uint32_t uid, std::string_view name) const {
        return names_.find(uid, name);
    }

    // Runs that must end or stand still so that this job starts, and all such runs.
    std::vector<JobId> victims(JobId preemptor) const;
    const std::set<std::pair<JobId, JobId>>& preempted() const { return preempted_; }
    // Whether a run that lends its cores, or is about to, holds something on the node.
    bool any_lender_on(NodeId node) const;
    bool any_lenders() const { return !lenders_.empty(); }
    // Runs that stand still until their turn comes.
    const std::set<JobId>& awaiting_turn() const { return awaiting_turn_; }

    const JobSet& pending() const { return pending_; }  // Including held jobs and array records.
    const JobSet& holding() const { return holding_; }
    // Final jobs, the oldest end first.
    const std::set<std::pair<Time, JobId>>& finished() const { return finished_; }

    friend bool operator==(const JobIndex&, const JobIndex&) = default;

private:
    template <class Apply>
    void each_entry(const Job& job, Apply apply);

    std::map<SharedText, JobId, std::less<>> requests_;
    JobSet pending_, holding_;
    std::set<std::pair<Time, JobId>> finished_;
    std::set<std::pair<JobId, JobId>> array_tasks_;  // Array, task.
    std::set<std::pair<NodeId, JobId>> on_node_;
    std::set<std::pair<JobId, JobId>> dependents_;  // Awaited job, waiting job.
    std::set<std::pair<JobId, JobId>> preempted_;   // Preemptor, victim.
    std::set<std::pair<NodeId, JobId>> lenders_;
    std::set<JobId> awaiting_turn_;
    JobNames names_;  // Jobs that are not final.
};

}  // namespace berth
