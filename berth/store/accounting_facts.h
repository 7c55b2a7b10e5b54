// Turns the facts of a journal record into accounting rows: what the rows of each affected job must
// say, given the facts and the state after them. No SQL here.
#pragma once

#include <map>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/accounting.h"

namespace berth {

// What one journal record says about one job. Pointers point into the record.
struct Touched {
    const Job* submitted = nullptr;
    const JobCancelled* cancelled = nullptr;  // The job as a whole.
    bool tasks_cancelled = false;  // Some tasks of an array; each has a record of its own.
    std::vector<const AttemptEnded*> ended;
    const AttemptEnded* lost = nullptr;  // The first that lost its node, with no EndJob before it.
    const EndJob* end = nullptr;
    bool started = false;
    std::vector<const StepCreated*> steps_created;
    std::vector<const StepEnded*> steps_ended;
};
std::map<JobId, Touched> touched_by(const Record& record);

// The run that a job's newest row describes: the current or last one, or the one that it waits for.
Attempt run_of(const Job& job);

// The row according to the state, without steps and without cancelled_by.
AccountingRecord row_of(const Job& job, const ClusterSpec& spec, std::int64_t priority);
// Adds when the run stood still, of which the state knows only for how long: `before` is the row as
// it was before this record, of whatever run.
void note_stood_still(AccountingRecord& row, const AccountingRecord& before);
// Adds what the state does not say about a run that is being requeued: that a node was lost, and so
// the run ended. A run that was ending before ends as it was to: the agent says that it is lost
// even if its launch had never arrived. `before` is the row as it was before this record, of
// whatever run.
void note_lost_node(AccountingRecord& row, const std::optional<AccountingRecord>& before,
                    const Touched& touched);
std::optional<std::uint32_t> cancelled_by(const Touched& touched);

// Completes the row of a run whose job has gone on, or has been removed, since: how the run ended.
void settle_requeued(AccountingRecord& row, const Touched& touched, Time now);
void settle_forgotten(AccountingRecord& row, const Touched& touched, Time now);

AccountedStep row_of(const Step& step, const ClusterSpec& spec);
// Adds what the step used on the node where it has just ended.
void add_usage(AccountedStep& step, const StepEnded& ended, const ClusterSpec& spec);
// The row of the script, from the start of its job.
AccountedStep batch_step_of(const Job& job, const ClusterSpec& spec);
// Completes the script's row when the attempt ends on the batch host.
void settle_batch(AccountedStep& batch, const AttemptEnded& ended, Time now);
// Completes the row of a step that was still open when its attempt ended.
void settle_step(AccountedStep& step, const StepEnded* ended, Time now);

}  // namespace berth
