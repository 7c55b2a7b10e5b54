#include "berth/server/views/job_rows.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "berth/engine/placement/demand.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/flavor_of.h"
#include "berth/model/job_phase.h"
#include "berth/model/node_names.h"
#include "berth/model/preempted_by.h"
#include "berth/server/views/asked.h"
#include "berth/server/views/job_text.h"
#include "berth/server/views/names.h"

namespace berth {
namespace {

// Slurm numbers CPUs core by core: with two threads, core 1 is CPUs 2 and 3.
std::string cpu_ids(const BitSet& cores, std::uint32_t threads) {
    if (threads <= 1) return cores.to_list();
    BitSet cpus(cores.size() * threads);
    for (std::size_t core = cores.find_first(); core != BitSet::kNone;
         core = cores.find_next(core)) {
        for (std::uint32_t t = 0; t < threads; ++t) cpus.set(core * threads + t);
    }
    return cpus.to_list();
}

// `threads`: the most that tasks use of each core; 0: all.
api::NodeShareRow share_row(const ClusterSpec& spec, const NodeShare& share,
                            std::uint32_t threads) {
    const NodeSpec& node = spec.node(share.node);
    const auto held = static_cast<std::uint32_t>(share.cores.count());
    return {.node = node.name,
            .cpu_ids = cpu_ids(share.cores, node.threads_per_core),
            .cpus = share.cpus,
            .memory = share.memory.count(),
            .gres = gres_text(spec, node, share.devices, share.amount, false),
            .tasks = share.tasks,
            .usable_cpus = held * threads_used(node, threads)};
}

void set_identity(api::JobRow& row, const Snapshot& snapshot, const Job& job) {
    row.id = job.id;
    row.array_job = job.array_job;
    if (!row.array_job && job.spec.array) row.array_job = job.id;
    row.array_task = job.array_task;
    row.het = job.het.plain();
    row.array_pending = array_pending_text(job);
    row.array_max_running = job.spec.array ? job.spec.array->max_running : job.array_max_running;
    row.owner = job.owner;
    row.name = job.spec.name;
    row.account = job.spec.account;
    row.qos = snapshot.spec->qos[job.qos.index()].name;
    row.partition = partition_text(*snapshot.spec, job);
    row.command = job.spec.command;
    row.comment = job.spec.comment;
    row.admin_comment = job.spec.command->admin_comment;
    row.flavor = flavor_name(*snapshot.spec, job.spec.flavor);
}

// To Slurm's clients 0 says that a job that waits is held: what no cycle has ranked yet shows 1.
std::int64_t shown_priority(const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    if (job.is_suspended()) return 0;
    if (job.state != JobState::pending) return read_model.priority;
    return job.hold != Hold::none ? 0 : std::max<std::int64_t>(1, read_model.priority);
}

void set_state(api::JobRow& row, const Snapshot& snapshot, const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    row.state = shown_state(job);
    row.special_exit = job.state == JobState::pending && job.hold == Hold::special_exit;
    row.outcome = job.state == JobState::completing ? slurm_name(job.outcome) : shown_state(job);
    row.reason = reason_text(read_model);
    row.priority = shown_priority(read_model);
    row.nice = job.spec.nice;
    row.dependency = dependency_text(snapshot, job);
    row.requeue = job.spec.requeue.value_or(snapshot.spec->scheduling.requeue_by_default);
    row.restarts = job.restarts;
    row.attempt = job.attempt.value();
    row.exit = job.exit;
    row.derived_exit = job.derived_exit;
    row.phase = phase_of(course_of(job));
    row.conditions = conditions_of(course_of(job));
}

// When a run may be preempted, and was. After its end only its reason tells.
void set_preemption(api::JobRow& row, const ClusterSpec& spec, const Job& job) {
    row.preempted_by = preemptor_of(job.state_reason);
    if (job.allocation && job.allocation->preempted && !job.lends_by_turns()) {
        row.preempted_by = job.allocation->preempted->by;
        row.preempted_at = job.allocation->preempted->at;
    } else if (row.preempted_by && is_final(job.state)) {
        row.preempted_at = job.ended_at;
    }
    if (job.allocation && job.allocation->checkpoint)
        row.checkpoint_at = job.allocation->checkpoint->at;
    const PreemptionSpec& preemption = spec.scheduling.preemption;
    if (!preemption.enabled() || job.state == JobState::pending || !job.started_at) return;
    if (preemption.exempt_priority && job.start_priority > *preemption.exempt_priority) return;
    std::optional<Duration> exempt = preemption.exempt;
    if (preemption.by == PreemptBy::qos && spec.qos[job.qos.index()].preempt_exempt)
        exempt = spec.qos[job.qos.index()].preempt_exempt;
    const Duration suspended = job.suspension ? job.suspension->total : Duration{};
    row.preemptible_at = *job.started_at + exempt.value_or(Duration{}) + suspended;
}

void set_times(api::JobRow& row, const Snapshot& snapshot, const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    if (job.time_limit != Duration::max()) row.time_limit = job.time_limit;
    row.deadline = job.spec.deadline;
    row.time_min = job.spec.time_min;
    row.submitted_at = job.submitted_at;
    row.begin_at = job.spec.begin;
    row.eligible_at = job.eligible_at;
    if (job.state != JobState::pending) {
        row.started_at = job.started_at;
        row.ended_at = job.ended_at;
    }
    if (job.state == JobState::running) row.ended_at = limit_ends(job);
    if (job.is_suspended() && row.time_limit) {  // As if it went on now.
        row.ended_at = job.suspension->changed_at + *row.time_limit - job.suspension->ran_before;
    }
    if (job.suspension) {
        row.suspended_at = job.suspension->changed_at;
        row.ran_before = job.suspension->ran_before;
    }
    set_preemption(row, *snapshot.spec, job);
    if (job.state == JobState::running && job.allocation->preempted && !job.lends_cores()) {
        const Time end = job.allocation->preempted->ends_at;
        row.ended_at = row.ended_at ? std::min(*row.ended_at, end) : end;
    }
    if (read_model.planned && job.state == JobState::pending) {
        row.planned_start = read_model.planned->start;
        for (const auto& [node, amount] : read_model.planned->amounts)
            row.planned_nodes.push_back(snapshot.spec->node(node).name);
    }
}

void set_amounts(api::JobRow& row, const Snapshot& snapshot, const Job& job) {
    const ClusterSpec& spec = *snapshot.spec;
    const Asked asked = asked_of(spec, job);
    row.request = asked.request;
    row.tasks = asked.tasks;
    row.requested_tres = tres_text(spec, asked.tres, TresOrder::slurm);
    std::vector<GresRequest> per_node = job.spec.request->gres_per_node;
    per_node.insert(per_node.end(), job.spec.request->gpus_per_node.begin(),
                    job.spec.request->gpus_per_node.end());
    row.tres_per_node = tres_per_text(per_node);
    row.node_count = asked.nodes;
    row.cpus = asked.cpus;
    if (job.state == JobState::pending || job.nodes.empty()) return;
    row.nodes = names_of(spec, job.nodes);
    if (!job.spec.command->interactive) row.batch_host = row.nodes.front();
    row.node_count = static_cast<std::uint32_t>(job.nodes.size());
    row.cpus = job.cpus;
    row.allocated_tres =
        tres_text(spec,
                  {.cpus = job.cpus,
                   .memory = job.allocated->memory(),
                   .nodes = row.node_count,
                   .billed = billed_in(spec, job.partition, row.node_count, job.allocated),
                   .gres = job.allocated},
                  TresOrder::slurm);
    if (!job.allocation) return;
    row.licenses = job.allocation->licenses;
    row.tasks = 0;
    for (const NodeShare& share : job.allocation->shares) {
        row.tasks += share.tasks;
        row.shares.push_back(
            share_row(spec, share, job.spec.request->nearness->node.threads_per_core));
    }
    if (row.tasks == 0 || job.state != JobState::running) row.tasks = asked.tasks;
}

}  // namespace

namespace {

// What no cycle has looked at yet waits for what was asked for with it, as in Slurm.
PendingReason reason_of(const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    if (read_model.reason != PendingReason::none || job.eligible_at) return read_model.reason;
    if (job.hold == Hold::admin) return PendingReason::job_held_admin;
    if (job.hold != Hold::none) return PendingReason::job_held_user;
    if (!job.spec.dependencies->empty()) return PendingReason::dependency;
    if (job.spec.begin && *job.spec.begin > job.submitted_at) return PendingReason::begin_time;
    return PendingReason::none;
}

// "RaisedSignal:9(Killed)": Slurm's description of it, which has no blanks.
std::string raised_signal(int signal) {
    std::string name = strsignal(signal);
    std::ranges::replace(name, ' ', '_');
    return "RaisedSignal:" + std::to_string(signal) + "(" + name + ")";
}

}  // namespace

std::string reason_text(const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    if (job.state != JobState::pending) {
        const bool raised = job.state_reason == "RaisedSignal" && job.exit.signal != 0;
        if (raised) return raised_signal(job.exit.signal);
        const bool said_by_state = job.state_reason.empty() || preemptor_of(job.state_reason);
        return said_by_state ? std::string("None") : std::string(job.state_reason);
    }
    std::string text(slurm_name(reason_of(read_model)));
    if (read_model.reason_detail.empty()) return text;
    return text + ", " + read_model.reason_detail;
}

api::StepRow step_row(const ClusterSpec& spec, JobId job, const Step& step) {
    const Tres tres{.cpus = step.cpus,
                    .memory = step.allocated.memory(),
                    .nodes = static_cast<std::int64_t>(step.nodes.size()),
                    .billing = false,
                    .gres = step.allocated};
    return {.job = job,
            .id = step.id,
            .name = step.name,
            .state = std::string(slurm_name(step.state)),
            .tasks = step.tasks,
            .cpus = step.cpus,
            .nodes = names_of(spec, step.nodes),
            .tres = tres_text(spec, tres, TresOrder::by_name),
            .started_at = step.started_at,
            .ended_at = step.ended_at,
            .exit = step.exit,
            .time_limit = step.time_limit};
}

namespace {

// As its nodes measured it last.
std::vector<api::UsageRow> usage_of(const Snapshot& snapshot, const Job& job) {
    std::map<StepId, StepTotals> steps;
    for (const NodeId node : job.nodes) {
        const std::vector<StepUsage>* const samples = snapshot.samples.find(node.value());
        if (samples == nullptr) continue;
        for (const StepUsage& one : *samples) {
            if (one.job != job.id || one.attempt != job.attempt) continue;
            add(steps[one.step], one.usage, snapshot.spec->node(node).name);
        }
    }
    std::vector<api::UsageRow> rows;
    rows.reserve(steps.size());
    for (auto& [step, used] : steps) rows.push_back({step, std::move(used)});
    return rows;
}

}  // namespace

api::JobRow job_row(const Snapshot& snapshot, const SnapshotJob& read_model) {
    const Job& job = *read_model.job;
    api::JobRow row;
    set_identity(row, snapshot, job);
    set_state(row, snapshot, read_model);
    set_times(row, snapshot, read_model);
    set_amounts(row, snapshot, job);
    for (const Step& step : job.steps) row.steps.push_back(step_row(*snapshot.spec, job.id, step));
    if (job.state == JobState::running) row.usage = usage_of(snapshot, job);
    row.std_out = std_out_of(job);
    row.std_err = std_err_of(job);
    row.std_in = std_in_of(job);
    return row;
}

}  // namespace berth
