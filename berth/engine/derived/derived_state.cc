#include "berth/engine/derived/derived_state.h"

#include <algorithm>
#include <bit>

#include "berth/base/overloaded.h"
#include "berth/engine/plan/placement_shared.h"

namespace berth {
void DerivedState::rebuild(const ClusterState& state) {
    Result<Policy> built = build_policy(state.spec());
    // Checked before the configuration was installed.
    policy = built.ok() ? std::move(built).value() : Policy();
    totals = totals_of(state.spec());
    partition_totals = partition_totals_of(state.spec());
    topologies = Topologies(state.spec());
    domains = Domains(state.spec());
    book.rebuild(state);
    pending.rebuild(state);
    usable = BitSet(state.spec().nodes.size());
    for (std::size_t n = 0; n < usable.size(); ++n) {
        if (state.condition(NodeId::from_index(n)).schedulable()) usable.set(n);
    }
    holds = {};
    work.rebuild(state);
    task_runs.clear();
    for (const JobId id : state.holding_jobs()) note_task_run(*state.find_job(id));
    fair_shares = {};
    changed = true;
    round = {};
    feasibility_changed = false;
    planned_starts_at_risk = true;
    submitted_at.reset();
    paused_until.reset();
    priorities_of.reset();
    repricing.reset();
    unwritten_later.clear();
    moves = {};
    unlooked.clear();
    any_takes_less = false;
    unwritten.clear();
    all_unwritten = true;
    first_written.clear();
}

void DerivedState::refresh_services(const ClusterState& state) {
    services.clear();
    if (policy.order() == nullptr) return;
    for (const auto& [ended, id] : state.finished_jobs()) {
        const Job& job = *state.find_job(id);
        if (job.attained > Duration{}) services.push_back(job.attained);
    }
}

void DerivedState::note_task_run(const Job& job) {
    if (!job.array_job) return;
    if (job.allocation) {
        task_runs[*job.array_job].insert(job.id);
        return;
    }
    const auto runs = task_runs.find(*job.array_job);
    if (runs == task_runs.end()) return;
    runs->second.erase(job.id);
    if (runs->second.empty()) task_runs.erase(runs);
}

std::size_t DerivedState::running_tasks(const Job& job) const {
    if (!job.array_job && !job.spec.array) return 0;
    const auto runs = task_runs.find(job.array_job.value_or(job.id));
    return runs == task_runs.end() ? 0 : runs->second.size();
}

void DerivedState::note_job(const ClusterState& state, Time now, JobId id) {
    book.refresh(state, now, id);
    if (const Job* job = state.find_job(id)) note_task_run(*job);
    changed = true;
}

void DerivedState::note_node(const ClusterState& state, NodeId node) {
    const bool before = usable.test(node.index());
    const bool now = state.condition(node).schedulable();
    if (before == now) return;
    pending.forget_feasibility();
    feasibility_changed = planned_starts_at_risk = true;
    if (now) {
        usable.set(node.index());
        book.note_release(node);
    } else {
        usable.reset(node.index());
    }
    changed = true;
}

void DerivedState::note_order(const JobUpdated& fact) {
    PendingJob* waiting = pending.find(fact.job);
    if (waiting == nullptr) return;
    waiting->moved_in_order =
        fact.by_operator && (fact.priority || fact.nice || fact.qos || fact.partition);
    planned_starts_at_risk = planned_starts_at_risk || waiting->moved_in_order;
}

void DerivedState::note_devices(const ClusterState& state, const DevicesDrained& fact) {
    book.settle_drained(state, fact.node);
    if (!fact.drained) book.note_release(fact.node);
    pending.forget_feasibility();
    feasibility_changed = planned_starts_at_risk = true;
    all_unwritten = true;
    changed = true;
}

// Reservations are few and seldom change, so everything is rebuilt.
void DerivedState::note_reservations(const ClusterState& state) {
    book.rebuild(state);
    std::vector<JobId> concerned;
    for (const auto& [id, waiting] : pending.all()) {
        if (!waiting.shape->demand().reservation.empty()) concerned.push_back(id);
    }
    for (const JobId id : concerned) pending.refresh(state, id);
    planned_starts_at_risk = true;
    all_unwritten = true;
    changed = true;
}

void DerivedState::note(const ClusterState& state, Time now, const Fact& fact) {
    const auto job_changed = [&](JobId id) {
        work.refresh(state, id);
        note_job(state, now, id);
        pending.refresh(state, id);
    };
    std::visit(Overloaded{
                   [&](const ControllerStarted&) {
                       for (std::size_t n = 0; n < usable.size(); ++n)
                           note_node(state, NodeId::from_index(n));
                   },
                   [&](const SpecInstalled&) { rebuild(state); },
                   [&](const ReservationSet&) { note_reservations(state); },
                   [&](const ReservationDeleted&) { note_reservations(state); },
                   [&](const AccountingEdited&) { rebuild(state); },
                   [&](const ClusterEdited&) { rebuild(state); },
                   [&](const NodeDescribed&) { rebuild(state); },
                   [&](const NodeRegistered& kind) { note_node(state, kind.node); },
                   [&](const NodeNotResponding& kind) { note_node(state, kind.node); },
                   [&](const NodeUpdated& kind) { note_node(state, kind.node); },
                   [&](const NodeFenced&) {},
                   [&](const DevicesDrained& kind) { note_devices(state, kind); },
                   [&](const JobSubmitted& kind) {
                       const bool before = changed;
                       job_changed(kind.job.id);
                       if (state.spec().scheduling.planning.submission_wait == Duration{}) return;
                       changed = before;
                       if (!submitted_at) submitted_at = now;
                   },
                   [&](const JobUpdated& kind) {
                       job_changed(kind.job);
                       note_order(kind);
                   },
                   [&](const StartJob& kind) {
                       job_changed(kind.job);
                       if (kind.task_job && *kind.task_job != kind.job) job_changed(*kind.task_job);
                   },
                   [&](const TaskSplit& kind) {
                       job_changed(kind.array);
                       job_changed(kind.task_job);
                   },
                   [&](const PlanJob& kind) { note_job(state, now, kind.job); },
                   [&](const UsageSet&) {
                       fair_shares = {};
                       priorities_of = Time::min();
                       repricing.reset();
                       changed = true;
                   },
                   [&](const JobsPlanned& kind) {
                       for (const auto& [id, planned] : kind.jobs) note_job(state, now, id);
                   },
                   [&](const JobEligible&) { changed = true; },
                   [&](const JobsEligible&) { changed = true; },
                   [&](const StepCreated&) {},
                   [&](const StepEnded&) {},
                   [&](const auto& kind) { job_changed(kind.job); },  // Facts about a job.
               },
               fact);
}

JobSize EngineView::size(const Job& job) const {
    const PendingJob* waiting = derived_.pending.find(job.id);
    if (waiting == nullptr) return size_of(plain_demand_of(state_.spec(), job));
    return size_of(waiting->shape->demand());
}

TresCounts EngineView::tres(const Job& job) const {
    if (job.state != JobState::pending) return held_by(job);
    const PendingJob* waiting = derived_.pending.find(job.id);
    if (waiting == nullptr) return tres_of(plain_demand_of(state_.spec(), job));
    return tres_of(waiting->shape->demand());
}

std::vector<const Job*> EngineView::running() const {
    std::vector<const Job*> jobs;
    for (const JobId id : state_.holding_jobs()) {
        const Job* job = state_.find_job(id);
        if (job->state == JobState::running) jobs.push_back(job);
    }
    return jobs;
}

std::span<const Duration> EngineView::services() const { return derived_.services; }

AssociationStanding EngineView::association(const Job& job) const {
    const PendingJob* waiting = derived_.pending.find(job.id);
    return derived_.fair_shares.of(waiting == nullptr ? state_.usage_of(job) : waiting->usage());
}

Time priority_time(const ClusterSpec& spec, Time now) {
    const Duration period = spec.scheduling.priority_period;
    return Time(now.time_since_epoch() / period * period);
}

TresCounts tres_of(const Demand& demand) {
    const JobSize size = size_of(demand);
    TresCounts counts{.nodes = size.nodes, .amount = {}};
    counts.amount.set_cpu(cores(size.cpus));
    if (demand.memory_rule == MemoryRule::per_node) {
        counts.amount.set_memory(demand.memory * size.nodes);
    } else if (demand.memory_rule == MemoryRule::per_cpu) {
        counts.amount.set_memory(demand.memory * size.cpus);
    }
    const auto add = [&](const std::vector<GresDemand>& gres, std::int64_t times) {
        for (const GresDemand& one : gres) {
            if (one.dimensions == 0) continue;
            const DimensionId d(static_cast<std::uint32_t>(std::countr_zero(one.dimensions)));
            counts.amount[d] += one.count * times;
        }
    };
    add(demand.gres_per_node, size.nodes);
    add(demand.gres_per_task, size.cpus / std::max<std::int64_t>(demand.cpus_per_task, 1));
    add(demand.gres_total, 1);
    return counts;
}

std::vector<GpuLeft> EngineView::gpus(NodeId node) const {
    if (!derived_.work.gpus_are_shared()) return {};
    return gpus_of(state_.spec(), derived_.totals.gpu_types, node, state_.free(node)).left;
}

const NodeReadings* EngineView::readings(NodeId node) const {
    if (node.index() >= derived_.readings.size()) return nullptr;
    const NodeReadings& known = derived_.readings[node.index()];
    return known.gpus.empty() ? nullptr : &known;
}

std::uint64_t EngineView::gpu_counts_on(NodeId node) const {
    std::uint64_t counts = 0;
    for (const JobId id : state_.jobs_on(node)) {
        for (const NodeShare& share : state_.find_job(id)->allocation->shares) {
            if (share.node != node) continue;
            if (share.device_share) counts |= 1;
            if (const int whole = popcount(share.whole_devices()); whole > 0)
                counts |= bit(whole % 64);
        }
    }
    return counts;
}

JobSize size_of(const Demand& demand) {
    JobSize size;
    size.nodes = demand.nodes_min;
    const std::int64_t tasks =
        demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * demand.tasks_per_node;
    size.cpus = tasks * demand.cpus_per_task;
    return size;
}

}  // namespace berth
