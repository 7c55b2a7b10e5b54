// How the facts of a journal record become rows of accounting: what each touched job's rows must
// say, from the facts and the state after them. No SQL here.
#pragma once

#include <map>
#include <vector>

#include "berth/engine/state/cluster_state.h"
#include "berth/store/accounting.h"

namespace berth {

// What one journal record says of one job. Pointers are into the record.
struct Touched {
    const Job* submitted = nullptr;
    const JobCancelled* cancelled = nullptr;  // As a whole.
    bool tasks_cancelled = false;  // Some tasks of an array: each has a record of its own.
    std::vector<const AttemptEnded*> ended;
    const EndJob* end = nullptr;
    bool started = false;
    std::vector<const StepCreated*> steps_created;
    std::vector<const StepEnded*> steps_ended;
};
std::map<JobId, Touched> touched_by(const Record& record);

// The run that a job's newest row is about: the current or last one, or the one it waits for.
Attempt run_of(const Job& job);

// The row as the state has it; without the steps, and without cancelled_by.
AccountingRecord row_of(const Job& job, const ClusterSpec& spec, std::int64_t priority);
// What the state does not say of a run that is on its way back to the queue: that a node was lost.
void note_lost_node(AccountingRecord& row, const Touched& touched);
std::optional<std::uint32_t> cancelled_by(const Touched& touched);

// A run whose job has gone on (or is gone) since: how it ended.
void settle_requeued(AccountingRecord& row, const Touched& touched, Time now);
void settle_forgotten(AccountingRecord& row, const Touched& touched, Time now);

AccountedStep row_of(const Step& step, const ClusterSpec& spec);
// What it used on the node where it has just ended.
void add_usage(AccountedStep& step, const StepEnded& ended, const ClusterSpec& spec);
// The script's own row, from the start of its job on …
AccountedStep batch_step_of(const Job& job, const ClusterSpec& spec);
// … to its end on the batch host.
void settle_batch(AccountedStep& batch, const AttemptEnded& ended, Time now);
// A step that was still open when its attempt was over.
void settle_step(AccountedStep& step, const StepEnded* ended, Time now);

}  // namespace berth
