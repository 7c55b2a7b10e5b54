// Schedule: what the scheduler has decided about jobs, beside the facts of their records: planned
// starts, the time until which room is held for jobs that have preempted, when they suspend nobody
// after that, and why jobs wait.
//
// Only pending jobs have a planned start, and only known jobs have anything else. Planned starts,
// holds and rests are durable. Reasons and priorities are not: the next cycle sets them again.
//
// Only ClusterState changes it. While a checkpoint is open, the old values go to the undo log.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "berth/engine/state/job_records.h"
#include "berth/engine/state/job_table.h"
#include "berth/engine/state/undo.h"

namespace berth {

class Schedule {
public:
    using Holds = std::map<JobId, Time>;
    using Rests = std::map<JobId, PreemptorRest>;

    Schedule() = default;
    Schedule(JobTable<PlannedStart> planned, Holds holds, Rests rests)
        : planned_(std::move(planned)), holds_(std::move(holds)), rests_(std::move(rests)) {}

    const PlannedStart* planned(JobId job) const { return planned_.find(job); }
    const JobTable<PlannedStart>& planned_starts() const { return planned_; }  // In id order.
    // Until when the room that preemption made is held for the job.
    const Holds& preemptor_holds() const { return holds_; }
    // By job, or by array for all its tasks.
    const Rests& preemptor_rests() const { return rests_; }

    // Why a pending job does not run, as of the last cycle. The detail is additional text, such as
    // the node list of req_node_not_avail; often empty.
    PendingReason reason(JobId job) const;
    std::string_view reason_detail(JobId job) const;
    // As of the last cycle that computed it, 0 if the job is held; nullopt: none did. See
    // current_priority() for jobs that may have started.
    std::optional<std::int64_t> priority(JobId job) const;

    // Each returns whether that is new.
    bool set_planned(JobId job, std::optional<PlannedStart> planned, UndoLog& undo);
    bool set_reason(JobId job, PendingReason reason, SharedText detail, UndoLog& undo);
    bool set_priority(JobId job, std::int64_t priority, UndoLog& undo);
    void set_preemptor_hold(JobId job, std::optional<Time> until, UndoLog& undo);
    void set_preemptor_rest(JobId job, std::optional<PreemptorRest> rest, UndoLog& undo);
    // The job leaves the state. REQUIRES: it has no planned start.
    void forget(JobId job, UndoLog& undo);

    void undo(const PlanBefore& was);
    void undo(const StandingBefore& was);
    void undo(const HoldBefore& was);
    void undo(const RestBefore& was);

    // Aborts unless only these jobs appear in it.
    void check(const JobRecords& jobs) const;

private:
    void remember_standing(JobId job, UndoLog& undo) const;

    JobTable<PlannedStart> planned_;
    Holds holds_;
    Rests rests_;
    JobTable<Standing> standings_;
};

}  // namespace berth
