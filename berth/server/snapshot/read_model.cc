#include "berth/server/snapshot/read_model.h"

#include <algorithm>

#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// A priority that was given is known before the first cycle computes those of the rest.
std::int64_t shown_priority(const ClusterState& state, const Job& job) {
    const std::int64_t computed = current_priority(state, job.id);
    const bool waits = job.state == JobState::pending && job.hold == Hold::none;
    return waits && computed == 0 ? job.spec.priority.value_or(0) : computed;
}

}  // namespace

const Job* Snapshot::find_job(JobId id) const {
    const SnapshotJob* const found = jobs.find(id.value());
    return found == nullptr ? nullptr : found->job.get();
}

const SnapshotNode& Snapshot::node(NodeId id) const {
    static const SnapshotNode blank;
    const SnapshotNode* const found = nodes.find(id.value());
    return found == nullptr ? blank : *found;
}

ReadModel::ReadModel() : current_(std::make_shared<const Snapshot>()) {}

void ReadModel::publish(const ClusterState& state, const Changes& changes) {
    next_.now = changes.now;
    next_.sequence = changes.sequence;
    next_.epoch = state.epoch();
    if (changes.reservations || turn_ == 1) put_reservations(state);
    const bool all = changes.all || turn_ == 1;  // The first edition has all that was recovered.
    if (changes.spec || all) next_.spec = std::make_shared<const ClusterSpec>(state.spec());
    if (all) {
        put_all(state);
    } else {
        for (const JobId id : changes.gone) drop_job(id);
        for (const JobId id : changes.jobs) put_job(state, id);
        for (const NodeId id : changes.nodes) put_node(state, id);
        for (const std::size_t index : changes.usage) put_usage(state, index);
    }
    for (const auto& [node, runs] : changes.samples) {
        next_.samples.set(turn_, node.value(),
                          std::make_shared<const std::vector<StepUsage>>(runs));
    }
    current_.store(std::make_shared<const Snapshot>(next_));
    ++turn_;  // What the edition shares with us is not ours to change any more.
}

void ReadModel::put_all(const ClusterState& state) {
    next_.jobs = {};
    next_.arrays = {};
    next_.planned = {};
    next_.completing = {};
    next_.owners = {};
    for (const auto& [id, job] : state.jobs()) put_job(state, id);
    for (std::uint32_t i = 0; i < state.spec().nodes.size(); ++i) put_node(state, NodeId(i));
    next_.usage = {};
    for (std::size_t i = 0; i < state.usage().records().size(); ++i) put_usage(state, i);
}

void ReadModel::put_reservations(const ClusterState& state) {
    auto all = std::make_shared<std::vector<Reservation>>();
    for (const auto& [name, reservation] : state.reservations()) all->push_back(reservation);
    next_.reservations = std::move(all);
}

void ReadModel::put_job(const ClusterState& state, JobId id) {
    const Job* const job = state.find_job(id);
    if (job == nullptr) return drop_job(id);  // Came and went within one turn.
    const SnapshotJob* const before = next_.jobs.find(id.value());
    auto row = std::make_shared<SnapshotJob>();
    row->reason = state.schedule().reason(id);
    row->reason_detail = state.schedule().reason_detail(id);
    row->priority = shown_priority(state, *job);
    if (const PlannedStart* const planned = state.schedule().planned(id)) row->planned = *planned;
    // Often it is only the priority or the plan that moved.
    if (before != nullptr && *before->job == *job) {
        row->job = before->job;
    } else {
        if (before != nullptr) forget_in_array(*before->job);
        row->job = std::make_shared<const Job>(*job);
    }
    index(*row->job, row->planned.has_value());
    if (before == nullptr) index_owner(*row->job);
    next_.jobs.set(turn_, id.value(), std::move(row));
}

void ReadModel::index(const Job& job, bool planned) {
    const auto mark = [&](IdTable<JobId>& table, bool belongs) {
        if (belongs) {
            table.set(turn_, job.id.value(), std::make_shared<const JobId>(job.id));
        } else {
            table.erase(turn_, job.id.value());
        }
    };
    mark(next_.planned, planned);
    mark(next_.completing, job.state == JobState::completing);
    if (!job.array_job || !job.array_task) return;
    const IdTable<JobId>* const before = next_.arrays.find(job.array_job->value());
    if (before != nullptr && before->find(*job.array_task) != nullptr) return;
    IdTable<JobId> tasks = before == nullptr ? IdTable<JobId>() : *before;
    tasks.set(turn_, *job.array_task, std::make_shared<const JobId>(job.id));
    next_.arrays.set(turn_, job.array_job->value(),
                     std::make_shared<const IdTable<JobId>>(std::move(tasks)));
}

void ReadModel::forget_in_array(const Job& job) {
    if (!job.array_job || !job.array_task) return;
    const IdTable<JobId>* const before = next_.arrays.find(job.array_job->value());
    if (before == nullptr) return;
    IdTable<JobId> tasks = *before;
    tasks.erase(turn_, *job.array_task);
    if (tasks.size() == 0) return next_.arrays.erase(turn_, job.array_job->value());
    next_.arrays.set(turn_, job.array_job->value(),
                     std::make_shared<const IdTable<JobId>>(std::move(tasks)));
}

void ReadModel::index_owner(const Job& job) {
    const OwnedJobs* const before = next_.owners.find(job.owner->uid);
    auto owned =
        before == nullptr ? std::make_shared<OwnedJobs>() : std::make_shared<OwnedJobs>(*before);
    if (std::ranges::find(owned->names, *job.owner->user) == owned->names.end())
        owned->names.push_back(job.owner->user);
    owned->jobs.set(turn_, job.id.value(), std::make_shared<const JobId>(job.id));
    next_.owners.set(turn_, job.owner->uid, std::move(owned));
}

void ReadModel::forget_owner(const Job& job) {
    const OwnedJobs* const before = next_.owners.find(job.owner->uid);
    if (before == nullptr) return;
    auto owned = std::make_shared<OwnedJobs>(*before);
    owned->jobs.erase(turn_, job.id.value());
    if (owned->jobs.size() == 0) return next_.owners.erase(turn_, job.owner->uid);
    next_.owners.set(turn_, job.owner->uid, std::move(owned));
}

void ReadModel::drop_job(JobId id) {
    const Job* const job = next_.find_job(id);
    if (job == nullptr) return;
    forget_in_array(*job);
    forget_owner(*job);
    next_.planned.erase(turn_, id.value());
    next_.completing.erase(turn_, id.value());
    next_.jobs.erase(turn_, id.value());
}

void ReadModel::put_usage(const ClusterState& state, std::size_t index) {
    next_.usage.set(turn_, static_cast<std::uint32_t>(index),
                    std::make_shared<const UsageRecord>(state.usage().records()[index]));
}

void ReadModel::put_node(const ClusterState& state, NodeId id) {
    const SnapshotNode* const before = next_.nodes.find(id.value());
    auto row = std::make_shared<SnapshotNode>();
    row->condition = state.nodes().condition(id);
    row->free = state.nodes().free(id);
    // As Slurm, not while other jobs still run there.
    const bool was_busy = before != nullptr && before->free.jobs > 0;
    if (was_busy != (row->free.jobs > 0)) {
        row->last_busy_at = next_.now;
    } else if (before != nullptr) {
        row->last_busy_at = before->last_busy_at;
    }
    next_.nodes.set(turn_, id.value(), std::move(row));
}

}  // namespace berth
