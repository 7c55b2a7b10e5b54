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
    totals_ = totals_of(state.spec());
    partition_totals_ = partition_totals_of(state.spec());
    topologies = Topologies(state.spec());
    domains = Domains(state.spec());
    book.rebuild(state);
    pending.rebuild(state);
    usable = BitSet(state.spec().nodes.size());
    for (std::size_t n = 0; n < usable.size(); ++n) {
        if (state.nodes().condition(NodeId::from_index(n)).schedulable()) usable.set(n);
    }
    holds = {};
    preemptions.rebuild(state.spec());
    work_.rebuild(state);
    task_runs_.clear();
    for (const JobId id : state.index().holding()) note_task_run(*state.find_job(id));
    fair_shares = {};
    budgets_ = {};
    next_cycle.reset();
    round = {};
    planned_starts_at_risk = true;
    repricing.reset();
    moves.reset();
    unwritten.reset();
}

void DerivedState::refresh_services(const ClusterState& state) {
    services_.clear();
    if (policy.order() == nullptr) return;
    for (const auto& [ended, id] : state.index().finished()) {
        const Job& job = *state.find_job(id);
        if (job.attained > Duration{}) services_.push_back(job.attained);
    }
}

void DerivedState::note_readings(NodeId node, NodeReadings readings) {
    if (readings_.size() <= node.index()) readings_.resize(node.index() + 1);
    readings_[node.index()] = std::move(readings);
}

const NodeReadings* DerivedState::readings(NodeId node) const {
    if (node.index() >= readings_.size()) return nullptr;
    const NodeReadings& known = readings_[node.index()];
    return known.gpus.empty() ? nullptr : &known;
}

void DerivedState::note_task_run(const Job& job) {
    if (!job.array_job) return;
    if (job.allocation) {
        task_runs_[*job.array_job].insert(job.id);
        return;
    }
    const auto runs = task_runs_.find(*job.array_job);
    if (runs == task_runs_.end()) return;
    runs->second.erase(job.id);
    if (runs->second.empty()) task_runs_.erase(runs);
}

std::size_t DerivedState::running_tasks(const Job& job) const {
    if (!job.array_job && !job.spec.array) return 0;
    const auto runs = task_runs_.find(job.array_job.value_or(job.id));
    return runs == task_runs_.end() ? 0 : runs->second.size();
}

void DerivedState::mark_disturbed() {
    for (const JobId id : book.take_disturbed()) {
        PendingJob* const job = pending.find(id);
        if (job == nullptr) continue;
        job->disturbed = true;
        // Its own planned start hides what was released from what is known of other partitions.
        if (job->names_several()) forget_searches(pending.others.at(id));
    }
}

void DerivedState::note_job(const ClusterState& state, Time now, JobId id) {
    book.refresh(state, now, id);
    if (const Job* job = state.find_job(id)) note_task_run(*job);
    next_cycle.note_change();
}

// What a run leaves of the cores that it has borrowed, others may borrow.
void DerivedState::note_start(JobId id) {
    preemptions.forget_turns();
    const PlannedReservation* const own = book.find(id);
    if (own != nullptr && own->lends()) preemptions.forget_failures();
}

// What has begun may be suspended.
void DerivedState::note_hook_end(const ClusterState& state, Time now, JobId id) {
    note_changed(state, now, id);
    if (preemptions.rules.suspends()) preemptions.forget_failures();
    preemptions.forget_turns();
}

// Its cores may be used: the job that waits for them is tried again. Or it may be suspended again.
void DerivedState::note_frozen(const ClusterState& state, JobId id) {
    next_cycle.note_change();
    const Job* const run = state.find_job(id);
    if (run != nullptr && !run->is_suspended()) preemptions.forget_failures();
    if (run == nullptr || !run->lends_cores()) return;
    PendingJob* const waiting = pending.find(run->allocation->preempted->by);
    if (waiting == nullptr) return;
    waiting->looked = false;
    pending.add_unlooked(waiting->id);
}

void DerivedState::note_changed(const ClusterState& state, Time now, JobId id) {
    work_.refresh(state, id);
    note_job(state, now, id);
    pending.refresh(state, id);
}

// With submission_wait, a submission alone is no reason for a cycle yet.
void DerivedState::note_submitted(const ClusterState& state, Time now, JobId id) {
    const NextCycle before = next_cycle;
    note_changed(state, now, id);
    if (state.spec().scheduling.planning.submission_wait == Duration{}) return;
    next_cycle = before;
    next_cycle.note_submission(now);
}

void DerivedState::note_node(const ClusterState& state, NodeId node) {
    const bool before = usable.test(node.index());
    const bool now = state.nodes().condition(node).schedulable();
    if (before == now) return;
    pending.forget_feasibility();
    planned_starts_at_risk = true;
    preemptions.forget_failures();
    if (now) {
        usable.set(node.index());
        book.note_release(node);
    } else {
        usable.reset(node.index());
    }
    next_cycle.note_change();
}

void DerivedState::note_order(const JobUpdated& fact) {
    PendingJob* waiting = pending.find(fact.job);
    if (waiting == nullptr) return;
    waiting->moved_in_order =
        fact.by_operator && (fact.priority || fact.nice || fact.qos || fact.partition);
    planned_starts_at_risk = planned_starts_at_risk || waiting->moved_in_order;
}

void DerivedState::note_devices(const ClusterState& state, const DevicesDrained& fact) {
    preemptions.forget_failures();
    book.settle_drained(state, fact.node);
    if (!fact.drained) book.note_release(fact.node);
    pending.forget_feasibility();
    planned_starts_at_risk = true;
    unwritten.add_all();
    next_cycle.note_change();
}

// Reservations are few and seldom change, so everything is rebuilt.
void DerivedState::note_reservations(const ClusterState& state) {
    book.rebuild(state);
    preemptions.forget_failures();
    for (auto& [id, others] : pending.others) forget_searches(others);
    std::vector<JobId> concerned;
    for (const auto& [id, waiting] : pending.all()) {
        if (!waiting.shape->demand().reservation.empty()) concerned.push_back(id);
    }
    for (const JobId id : concerned) pending.refresh(state, id);
    planned_starts_at_risk = true;
    unwritten.add_all();
    next_cycle.note_change();
}

// Of limits, the quota tree tells which jobs they concern. Other edits may give any job another
// priority, but no other demand.
void DerivedState::note_accounting(const ClusterState& state, const AccountingChange& change,
                                   const LimitChange& limits) {
    next_cycle.note_change();
    preemptions.rebuild(state.spec());
    if (change.limits) book.recount_limits(state, limits);
    budgets_ = {};
    const bool uses_shares =
        policy.priority_weight("fair_share") != 0 || policy.priority_weight("association") != 0;
    if (!change.qos && !(change.shares && uses_shares)) return;
    totals_ = totals_of(state.spec());
    fair_shares = {};
    repricing.reset();
    round = {};
    for (const auto& [id, waiting] : pending.all()) pending.unsettle(waiting);
}

// Jobs of other partitions keep their demands. They may find room where a planned start has moved.
void DerivedState::note_edits(const ClusterState& state, Time now, const ClusterChange& change) {
    next_cycle.note_change();
    if (change.none()) return;
    preemptions.rebuild(state.spec());
    const std::int64_t factor_max = totals_.partition_factor_max;
    totals_ = totals_of(state.spec());
    partition_totals_ = partition_totals_of(state.spec());
    // A job that names several partitions may name one that was made just now.
    const auto is_in = [](const PendingJob& job, const std::vector<PartitionId>& partitions) {
        return std::ranges::binary_search(partitions, job.partition) ||
               (job.names_several() && !partitions.empty());
    };
    std::vector<JobId> concerned, featured;
    for (const auto& [id, waiting] : pending.all()) {
        if (is_in(waiting, change.partitions)) {
            concerned.push_back(id);
        } else if (is_in(waiting, change.of_features)) {
            featured.push_back(id);
        }
    }
    if (change.nodes) note_node_edits(state);
    std::vector<JobId> otherwise = pending.renew_demands(state, concerned);
    for (const JobId id : concerned) pending.refresh(state, id);
    const std::vector<JobId> by_features = pending.renew_demands(state, featured);
    otherwise.insert(otherwise.end(), by_features.begin(), by_features.end());
    for (const JobId id : otherwise) work_.refresh(state, id);
    for (const PartitionId partition : change.partitions) {
        for (const NodeId node : state.spec().partition(partition).nodes) book.note_release(node);
    }
    // Where jobs may share cores, runs are expected to hold theirs for longer, as are those that
    // may exceed their limits.
    const bool ends = state.spec().scheduling.preemption.gang || change.over_time;
    for (const JobId id : state.index().holding()) {
        const PartitionId partition = state.find_job(id)->partition;
        if (ends && std::ranges::binary_search(change.partitions, partition))
            book.refresh(state, now, id);
    }
    planned_starts_at_risk = true;
    // Billing, and whole nodes; another QOS leads to another quota tree.
    LimitChange limits{.all = change.qos, .partitions = change.partitions};
    limits.partitions.insert(limits.partitions.end(), change.of_features.begin(),
                             change.of_features.end());
    std::ranges::sort(limits.partitions);
    if (state.quota().enforced()) book.recount_limits(state, limits);
    if (totals_.partition_factor_max == factor_max) return;
    repricing.reset();
    round = {};
    for (const auto& [id, waiting] : pending.all()) pending.unsettle(waiting);
}

void DerivedState::note_other_order(const ClusterState& state, Time now,
                                    std::span<const JobId> jobs) {
    for (const JobId id : jobs) note_changed(state, now, id);
}

void DerivedState::note_node_edits(const ClusterState& state) {
    book.regroup(state.spec());
    pending.forget_feasibility();
    preemptions.forget_failures();
    unwritten.add_all();
}

namespace {

// Earlier runs that stand still for the preemptor wait as long as its new hold lasts.
std::vector<JobId> jobs_of(const ClusterState& state, const JobsPreempted& fact) {
    std::vector<JobId> jobs;
    jobs.reserve(fact.victims.size());
    for (const JobsPreempted::Victim& victim : fact.victims) jobs.push_back(victim.job);
    for (const JobId id : state.index().victims(fact.preemptor)) {
        if (state.find_job(id)->lends_cores()) jobs.push_back(id);
    }
    if (fact.array) jobs.insert(jobs.end(), {*fact.array, fact.preemptor});
    return jobs;
}

// Steps share what their job holds.
bool is_of_a_step(const Fact& fact) {
    return std::holds_alternative<StepCreated>(fact) || std::holds_alternative<StepEnded>(fact) ||
           std::holds_alternative<StepUpdated>(fact) || std::holds_alternative<StepTimedOut>(fact);
}

}  // namespace

void DerivedState::note(const ClusterState& state, Time now, const Fact& fact) {
    const auto job_changed = [&](JobId id) { note_changed(state, now, id); };
    if (is_of_a_step(fact)) return;
    if (std::holds_alternative<AttemptEnded>(fact)) preemptions.forget_failures();
    std::visit(Overloaded{
                   [&](const ControllerStarted&) {
                       for (std::size_t n = 0; n < usable.size(); ++n)
                           note_node(state, NodeId::from_index(n));
                   },
                   [&](const SpecInstalled&) { rebuild(state); },
                   [&](const ReservationSet&) { note_reservations(state); },
                   [&](const ReservationDeleted&) { note_reservations(state); },
                   [&](const AccountingEdited&) { rebuild(state); },  // See note_accounting().
                   [&](const ClusterEdited&) { rebuild(state); },     // See note_edits().
                   [&](const NodeDescribed&) { rebuild(state); },
                   [&](const NodeRegistered& kind) { note_node(state, kind.node); },
                   [&](const NodeNotResponding& kind) { note_node(state, kind.node); },
                   [&](const NodeUpdated& kind) { note_node(state, kind.node); },
                   [&](const NodeFenced&) {},
                   [&](const DevicesDrained& kind) { note_devices(state, kind); },
                   [&](const JobSubmitted& kind) { note_submitted(state, now, kind.job.id); },
                   [&](const JobUpdated& kind) {
                       job_changed(kind.job);
                       note_order(kind);
                   },
                   [&](const StartJob& kind) {
                       job_changed(kind.job);
                       if (kind.task_job && *kind.task_job != kind.job) job_changed(*kind.task_job);
                       note_start(kind.task_job.value_or(kind.job));
                   },
                   [&](const TaskSplit& kind) {
                       job_changed(kind.array);
                       job_changed(kind.task_job);
                   },
                   [&](const PlanJob& kind) { note_job(state, now, kind.job); },
                   [&](const UsageSet&) {
                       fair_shares = {};
                       repricing.restart();
                       next_cycle.note_change();
                   },
                   [&](const JobsPlanned& kind) {
                       for (const auto& [id, planned] : kind.jobs) note_job(state, now, id);
                   },
                   [&](const JobEligible&) { next_cycle.note_change(); },
                   [&](const JobsEligible&) { next_cycle.note_change(); },
                   [&](const JobsPreempted& kind) {
                       for (const JobId id : jobs_of(state, kind)) job_changed(id);
                   },
                   [&](const JobSuspended& kind) {
                       job_changed(kind.job);
                       if (preemptions.rules.suspends()) preemptions.forget_failures();
                   },
                   [&](const JobFrozen& kind) { note_frozen(state, kind.job); },
                   [&](const ControllerHookEnded& kind) { note_hook_end(state, now, kind.job); },
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
    for (const JobId id : state_.index().holding()) {
        const Job* job = state_.find_job(id);
        if (job->state == JobState::running) jobs.push_back(job);
    }
    return jobs;
}

AssociationStanding EngineView::association(const Job& job) const {
    const PendingJob* waiting = derived_.pending.find(job.id);
    return derived_.fair_shares.of(waiting == nullptr ? state_.usage_of(job) : waiting->usage());
}

Factor EngineView::account_usage(const std::string& account) const {
    return derived_.fair_shares.usage_of(account);
}

Time priority_time(const ClusterSpec& spec, Time now) {
    const Duration period = spec.scheduling.priority_period;
    return Time(now.time_since_epoch() / period * period);
}

static std::int64_t tasks_in_all(const Demand& demand) {
    return demand.tasks ? *demand.tasks : std::int64_t{demand.nodes_min} * demand.tasks_per_node;
}

TresCounts tres_of(const Demand& demand) {
    const JobSize size = size_of(demand);
    TresCounts counts{.nodes = size.nodes, .amount = {}};
    counts.amount.set_cpu(cores(size.cpus));
    if (demand.memory.rule == MemoryRule::per_node) {
        counts.amount.set_memory(demand.memory.amount * size.nodes);
    } else if (demand.memory.rule == MemoryRule::per_cpu) {
        counts.amount.set_memory(demand.memory.amount * size.cpus);
    }
    const auto add = [&](const std::vector<GresDemand>& gres, std::int64_t times) {
        for (const GresDemand& one : gres) {
            if (one.dimensions == 0) continue;
            const DimensionId d(static_cast<std::uint32_t>(std::countr_zero(one.dimensions)));
            counts.amount[d] += one.count * times;
        }
    };
    add(demand.gres_per_node, size.nodes);
    add(demand.gres_per_task, tasks_in_all(demand));
    add(demand.gres_total, 1);
    return counts;
}

std::vector<GpuLeft> EngineView::gpus(NodeId node) const {
    if (!derived_.work().gpus_are_shared()) return {};
    return gpus_of(state_.spec(), derived_.totals().gpu_types, node, state_.nodes().free(node))
        .left;
}

std::uint64_t EngineView::gpu_counts_on(NodeId node) const {
    std::uint64_t counts = 0;
    for (const JobId id : state_.index().on_node(node)) {
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
    size.cpus = asked_cpus(demand, tasks_in_all(demand), size.nodes);
    return size;
}

}  // namespace berth
