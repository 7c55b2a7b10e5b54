#include "berth/store/accounting_facts.h"

#include "berth/base/bitmask.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/file_pattern.h"
#include "berth/model/node_names.h"
#include "berth/model/preempted_by.h"

namespace berth {

namespace {

struct Collect {
    std::map<JobId, Touched>& jobs;

    void operator()(const JobSubmitted& fact) { jobs[fact.job.id].submitted = &fact.job; }
    void operator()(const JobUpdated& fact) { jobs[fact.job]; }
    void operator()(const JobHeld& fact) { jobs[fact.job]; }
    void operator()(const DependencyFailed& fact) { jobs[fact.job]; }
    void operator()(const JobEligible& fact) { jobs[fact.job]; }
    void operator()(const JobsEligible& fact) {
        for (const JobId id : fact.jobs) jobs[id];
    }
    void operator()(const DeadlineMissed& fact) { jobs[fact.job]; }
    void operator()(const JobForgotten& fact) { jobs[fact.job]; }
    void operator()(const TaskSplit& fact) {
        jobs[fact.array];
        jobs[fact.task_job];
    }
    void operator()(const EndJob& fact) { jobs[fact.job].end = &fact; }
    void operator()(const AttemptEnded& fact) {
        Touched& job = jobs[fact.job];
        job.ended.push_back(&fact);
        if (fact.lost && job.lost == nullptr && job.end == nullptr) job.lost = &fact;
    }
    void operator()(const StepCreated& fact) { jobs[fact.job].steps_created.push_back(&fact); }
    void operator()(const StepEnded& fact) { jobs[fact.job].steps_ended.push_back(&fact); }
    void operator()(const StepUpdated&) {}
    void operator()(const StepTimedOut&) {}
    void operator()(const JobCancelled& fact) {
        Touched& job = jobs[fact.job];
        job.cancelled = &fact;
        job.tasks_cancelled |= !fact.array_tasks.empty();
    }
    void operator()(const StartJob& fact) {
        jobs[fact.job];
        jobs[fact.task_job.value_or(fact.job)].started = true;
    }
    // Facts on nodes, planned starts and shares: accounting keeps none of them.
    void operator()(const ControllerStarted&) {}
    void operator()(const SpecInstalled&) {}
    void operator()(const NodeRegistered&) {}
    void operator()(const NodeNotResponding&) {}
    void operator()(const NodeUpdated&) {}
    void operator()(const PlanJob&) {}
    void operator()(const UsageSet&) {}
    void operator()(const JobsPlanned&) {}
    void operator()(const ReservationSet&) {}
    void operator()(const ReservationDeleted&) {}
    void operator()(const AccountingEdited&) {}
    void operator()(const JobWarned&) {}
    void operator()(const NodeFenced&) {}
    void operator()(const DevicesDrained&) {}
    void operator()(const JobSuspended& fact) { jobs[fact.job]; }
    void operator()(const JobFrozen&) {}
    void operator()(const CheckpointSeen&) {}
    void operator()(const JobNoticed&) {}
    void operator()(const ControllerHookEnded&) {}
    void operator()(const ClusterEdited&) {}
    void operator()(const NodeDescribed&) {}
    void operator()(const JobsPreempted& fact) {
        for (const JobsPreempted::Victim& victim : fact.victims) jobs[victim.job];
        if (!fact.array) return;
        jobs[*fact.array];
        jobs[fact.preemptor];
    }
    void operator()(const JobMoved& fact) { jobs[fact.job]; }
};

// {0, 1, 2, 7} and 2 -> "0-2,7%2"
std::string tasks_text(const std::vector<std::uint32_t>& tasks, std::uint32_t max_running) {
    if (tasks.empty()) return "";
    BitSet set(std::size_t{tasks.back()} + 1);
    for (const std::uint32_t task : tasks) set.set(task);
    return set.to_list() + (max_running > 0 ? "%" + std::to_string(max_running) : "");
}

void describe_files(AccountingRecord& row, const Job& job) {
    const JobCommand& command = *job.spec.command;
    if (command.interactive) return;
    const bool is_array = job.array_job || job.spec.array;
    row.std_out = command.std_out.empty() ? default_output_pattern(is_array) : command.std_out;
    row.std_err = command.std_err.empty() ? row.std_out : command.std_err;
    row.std_in = command.std_in.empty() ? "/dev/null" : command.std_in;
}

void describe(AccountingRecord& row, const Job& job, const ClusterSpec& spec) {
    row.job = job.id;
    row.array_job = job.array_job;
    row.array_task = job.array_task;
    if (job.spec.array && !job.array_task) {
        row.array_job = job.array_job.value_or(job.id);
        row.array_pending = tasks_text(job.spec.array->tasks, job.spec.array->max_running);
    }
    row.het = job.het.plain();
    row.owner = job.owner;
    row.name = job.spec.name;
    row.account = job.spec.account;
    row.qos = job.qos.index() < spec.qos.size() ? spec.qos[job.qos.index()].name : *job.spec.qos;
    row.partition = partition_text(spec, job);
    row.cluster = spec.name;
    row.request = job.spec.request;
    row.work_dir = job.spec.command->work_dir;
    row.submit_line = job.spec.command->submit_line;
    row.comment = job.spec.comment;
    row.wckey = job.spec.command->wckey;
    row.admin_comment = job.spec.command->admin_comment;
    row.extra = job.spec.command->extra;
    row.requested_qos = job.spec.qos;
    describe_files(row, job);
}

// Runs that take turns stand still thousands of times. Of the neighbours that together take the
// shortest time one is made, as long as both, which begins with the first and ends before the
// second did. So those that remain are spread evenly over the run.
void merge_neighbours(std::vector<std::pair<Time, Time>>& spans) {
    const auto taken = [&](std::size_t i) { return spans[i + 1].second - spans[i].first; };
    std::size_t shortest = 0;
    for (std::size_t i = 1; i + 1 < spans.size(); ++i)
        if (taken(i) < taken(shortest)) shortest = i;
    const auto second = spans.begin() + static_cast<std::ptrdiff_t>(shortest) + 1;
    spans[shortest].second += second->second - second->first;
    spans.erase(second);
}

// Slurm calls every step that a signal ended cancelled, whoever sent the signal.
StepState state_after(const ExitStatus& exit) {
    if (exit == ExitStatus{}) return StepState::completed;
    return exit.signal != 0 ? StepState::cancelled : StepState::failed;
}

bool are_of_one_run(const AccountingRecord& a, const AccountingRecord& b) {
    return a.attempt == b.attempt && a.submitted_at == b.submitted_at;
}

}  // namespace

std::map<JobId, Touched> touched_by(const Record& record) {
    std::map<JobId, Touched> jobs;
    for (const Fact& fact : record.facts) std::visit(Collect{jobs}, fact);
    return jobs;
}

Attempt run_of(const Job& job) {
    const bool has_run = job.started_at && job.state != JobState::pending;
    return has_run ? job.attempt : Attempt(job.attempt.value() + 1);
}

AccountingRecord row_of(const Job& job, const ClusterSpec& spec, std::int64_t priority) {
    AccountingRecord row;
    describe(row, job, spec);
    row.attempt = run_of(job);
    row.completing = job.state == JobState::completing;
    row.state = row.completing && is_final(job.outcome) ? job.outcome : job.state;
    // Put back into the queue, too: that is how its run ended.
    const bool gives_way = row.completing && job.allocation->preempted && !job.lends_cores();
    if (gives_way && job.outcome == JobState::pending) row.state = JobState::preempted;
    row.reason = job.state_reason;
    if (job.state == JobState::running && job.allocation->preempted && !job.lends_by_turns())
        row.reason = preempted_by_text(job.allocation->preempted->by);
    if (job.awaits_turn()) row.reason = kAwaitsTurn;
    if (job.time_limit != Duration::max()) row.time_limit = job.time_limit;
    row.submitted_at = job.submitted_at;
    row.eligible_at = job.eligible_at;
    row.priority = priority;
    row.restarts = job.restarts;
    row.ended_at = job.ended_at;
    if (job.state == JobState::pending) {
        row.ended_at.reset();
        return row;
    }
    row.started_at = job.started_at;
    if (job.suspension) {
        row.suspended = job.suspension->total;
        if (job.is_suspended()) row.suspended_since = job.suspension->changed_at;
    }
    row.exit = job.exit;
    row.derived_exit = job.derived_exit;
    if (job.started_at) {
        row.cpus = job.cpus;
        row.allocated = job.allocated;
        row.nodes = names_of(spec, job.nodes);
    }
    return row;
}

std::optional<std::uint32_t> cancelled_by(const Touched& touched) {
    if (touched.cancelled != nullptr) {
        const bool by_user = touched.cancelled->reason.empty();
        return by_user ? std::optional(touched.cancelled->by_uid) : std::nullopt;
    }
    if (touched.end != nullptr && touched.end->outcome == JobState::cancelled) {
        return touched.end->by_uid;
    }
    return std::nullopt;
}

void note_stood_still(AccountingRecord& row, const AccountingRecord& before) {
    if (!are_of_one_run(row, before)) return;
    row.stood_still = before.stood_still;
    const Duration since = row.suspended - before.suspended;
    if (!before.suspended_since || since <= Duration{}) return;
    if (row.stood_still.size() >= kStoodStillMax) merge_neighbours(row.stood_still);
    row.stood_still.emplace_back(*before.suspended_since, *before.suspended_since + since);
}

void note_lost_node(AccountingRecord& row, const std::optional<AccountingRecord>& before,
                    const Touched& touched) {
    const bool was_ending = before && are_of_one_run(row, *before) && before->completing;
    const bool lost = was_ending ? before->state == JobState::node_fail
                                 : touched.lost != nullptr && touched.lost->attempt == row.attempt;
    if (lost) row.state = JobState::node_fail;
}

void settle_requeued(AccountingRecord& row, const Touched& touched, Time now) {
    note_lost_node(row, AccountingRecord(row), touched);
    row.requeued = true;
    row.completing = false;
    if (!is_final(row.state)) row.state = JobState::pending;
    if (touched.end != nullptr && touched.end->preempted_by) row.state = JobState::preempted;
    if (touched.end != nullptr && !touched.end->reason.empty()) row.reason = touched.end->reason;
    for (const AttemptEnded* const ended : touched.ended) {
        if (ended->attempt != row.attempt) continue;
        if (!ended->reason.empty()) row.reason = ended->reason;
        if (ended->batch_exit) row.exit = *ended->batch_exit;
    }
    if (!row.ended_at) row.ended_at = now;
}

void settle_forgotten(AccountingRecord& row, const Touched& touched, Time now) {
    row.completing = false;
    if (touched.cancelled != nullptr) row.state = JobState::cancelled;
    for (const AttemptEnded* const ended : touched.ended) {
        if (ended->batch_exit) row.exit = *ended->batch_exit;
        if (is_final(row.state)) continue;
        if (ended->lost) row.state = JobState::node_fail;
        if (ended->batch_exit) {
            row.state = row.exit == ExitStatus{} ? JobState::completed : JobState::failed;
        }
    }
    if (touched.end != nullptr && is_final(touched.end->outcome)) row.state = touched.end->outcome;
    if (!is_final(row.state)) row.state = JobState::cancelled;
    if (!row.ended_at) row.ended_at = now;
}

AccountedStep row_of(const Step& step, const ClusterSpec& spec) {
    return {.id = step.id,
            .name = step.name,
            .state = step.state,
            .tasks = step.tasks,
            .cpus = step.cpus,
            .nodes = names_of(spec, step.nodes),
            .allocated = step.allocated,
            .started_at = step.started_at,
            .ended_at = step.ended_at,
            .exit = step.exit};
}

void add_usage(AccountedStep& step, const StepEnded& ended, const ClusterSpec& spec) {
    if (!ended.usage) return;
    if (!step.used) step.used.emplace();
    add(*step.used, *ended.usage, spec.node(ended.node).name);
}

AccountedStep batch_step_of(const Job& job, const ClusterSpec& spec) {
    AccountedStep batch{.id = kBatchStep, .name = "batch"};
    if (job.started_at) batch.started_at = *job.started_at;
    if (!job.allocation || job.allocation->shares.empty()) return batch;
    const NodeShare& host = job.allocation->shares.front();
    batch.cpus = host.cpus;
    batch.nodes = {spec.node(host.node).name};
    batch.allocated = host.amount;
    return batch;
}

void settle_batch(AccountedStep& batch, const AttemptEnded& ended, Time now) {
    batch.ended_at = now;
    if (ended.usage) {
        batch.used.emplace();
        add(*batch.used, *ended.usage, batch.nodes.empty() ? "" : batch.nodes.front());
    }
    batch.exit = ended.out_of_memory ? kOutOfMemoryExit : ended.batch_exit.value_or(ExitStatus{});
    if (ended.out_of_memory) {
        batch.state = StepState::out_of_memory;
    } else if (!ended.batch_exit) {
        batch.state = ended.lost ? StepState::node_fail : StepState::cancelled;
    } else {
        batch.state = state_after(batch.exit);
    }
}

void settle_step(AccountedStep& step, const StepEnded* ended, Time now) {
    step.ended_at = now;
    if (ended == nullptr) {
        step.state = StepState::cancelled;
        return;
    }
    step.exit = ended->out_of_memory ? kOutOfMemoryExit : ended->exit;
    step.state = ended->out_of_memory ? StepState::out_of_memory : state_after(step.exit);
}

}  // namespace berth
