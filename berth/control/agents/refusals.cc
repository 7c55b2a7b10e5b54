#include "berth/control/agents/refusals.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/engine/admission/admission.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/placement/together.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/node_names.h"

namespace berth {
namespace {

constexpr std::size_t kNodesTried = 3;  // Before the job is held.
constexpr std::size_t kJobsLost = 3;    // Before the node is drained.
// If no other node can run the job, it is tried again on the same nodes after this time.
constexpr Duration kTryAgain = std::chrono::seconds(10);
constexpr const char* kHeld = "launch failed requeued held";

std::vector<std::string> names_in_order(const TurnBuilder& builder, const std::set<NodeId>& nodes) {
    return names_of(builder.state().spec(), std::vector<NodeId>(nodes.begin(), nodes.end()));
}

JobUpdated refused_by(const Job& job, std::vector<std::string> nodes) {
    JobRequest request = job.spec.request;
    request.refused_by = std::move(nodes);
    return {.job = job.id, .request = std::move(request)};
}

JobId first_component(const Job& job) { return job.het ? job.het->first : job.id; }

using Jobs = std::vector<const Job*>;

// The job, or all components of a heterogeneous one; empty if one of them is no longer known.
Jobs components_known(const ClusterState& state, const Job& job) {
    Jobs all;
    for (const JobId id : components_with(job)) {
        all.push_back(state.find_job(id));
        if (all.back() == nullptr) return {};
    }
    return all;
}

// Components that fit one by one may be too many for the nodes that are left.
bool fit_together(const ClusterState& state, const Jobs& jobs,
                  const std::vector<JobUpdated>& changes) {
    std::vector<Demand> demands;
    demands.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Job changed = *jobs[i];
        changed.spec.request = *changes[i].request;
        demands.push_back(resolved_demand(state, changed));
    }
    std::vector<const Demand*> all;
    all.reserve(demands.size());
    for (const Demand& demand : demands) all.push_back(&demand);
    return may_fit_together(all, state.spec(), [](NodeId) { return true; });
}

// The jobs with the nodes that refused them excluded; nullopt: no other nodes could run them.
std::optional<std::vector<JobUpdated>> without(const TurnBuilder& builder, const Jobs& jobs,
                                               const std::set<NodeId>& nodes) {
    std::vector<JobUpdated> changes;
    for (const Job* const job : jobs) {
        auto admitted = admit_update(builder.state(), builder.now(),
                                     refused_by(*job, names_in_order(builder, nodes)), true);
        auto* const fact = std::get_if<JobUpdated>(&admitted);
        if (fact == nullptr) return std::nullopt;
        // The partition of those nodes takes it again when they do: it stays among those that it
        // names.
        fact->partition.reset();
        fact->partitions.reset();
        changes.push_back(std::move(*fact));
    }
    if (jobs.size() > 1 && !fit_together(builder.state(), jobs, changes)) return std::nullopt;
    return changes;
}

// The jobs with no node excluded, to begin at this time at the earliest.
std::vector<JobUpdated> with_all_nodes(const Jobs& jobs, std::optional<Time> begin) {
    std::vector<JobUpdated> changes;
    for (const Job* const job : jobs) {
        changes.push_back(refused_by(*job, {}));
        if (begin) changes.back().begin = std::max(*begin, job->spec.begin.value_or(*begin));
    }
    return changes;
}

void record_all(TurnBuilder& builder, std::vector<JobUpdated> changes) {
    for (JobUpdated& change : changes) builder.record(std::move(change));
}

}  // namespace

bool Refusals::contains(const Job& job) const { return refused_.contains(first_component(job)); }

// If the batch host reports the refusal, nothing of the job has begun there, so --no-requeue does
// not forbid the requeue. A refusal by another node does not show that.
bool Refusals::requeue(TurnBuilder& builder, NodeId node, const Job& job,
                       const AttemptReport& report) {
    const Job* const first = builder.state().find_job(first_component(job));
    if (first == nullptr || first->spec.command->interactive) return false;
    const bool by_batch_host = first->id == job.id && job.nodes.front() == node;
    if (!by_batch_host && !may_requeue(builder.state(), job)) return false;
    OfJob& refusals = refused_[first->id];
    refusals.by.insert(node);
    refusals.why = report.not_begun;
    if (job.state != JobState::running) return job.outcome == JobState::pending;
    // Held until settle() has found which other nodes can run it.
    const bool for_job = report.not_begun == NotBegun::for_job;
    builder.record(EndJob{.job = job.id,
                          .outcome = JobState::pending,
                          .hold = for_job ? Hold::admin : Hold::none,
                          .reason = for_job ? kHeld : "",
                          .refused_by = names_in_order(builder, refusals.by)});
    return true;
}

void Refusals::count_against(TurnBuilder& builder, NodeId node, const AttemptReport& report) {
    if (report.not_begun != NotBegun::for_node || builder.state().nodes().condition(node).drained)
        return;
    std::set<JobId>& jobs = refusing_[node];
    const Job* const job = builder.state().find_job(report.job);
    jobs.insert(job == nullptr ? report.job : first_component(*job));
    if (jobs.size() < kJobsLost) return;
    refusing_.erase(node);
    const std::string& name = builder.state().spec().node(node).name;
    builder.log(LogLevel::error, "node " + name + " is drained: it could not begin " +
                                     std::to_string(kJobsLost) + " jobs, the last one because " +
                                     report.failure);
    builder.record(NodeUpdated{.node = node,
                               .drained = true,
                               .reason = "Cannot start jobs: " + report.failure,
                               .by = kByController});
}

void Refusals::recall(const ClusterState& state, const Job& job) {
    const auto& names = job.spec.request->refused_by;
    if (names.empty() || contains(job)) return;
    OfJob& refusals = refused_[first_component(job)];
    refusals.why = job.state_reason == kHeld ? NotBegun::for_job : NotBegun::for_node;
    for (const std::string& name : names) {
        if (const auto node = state.spec().find_node(name)) refusals.by.insert(*node);
    }
}

void Refusals::settle(TurnBuilder& builder, JobId id) {
    const Job* const ended = builder.state().find_job(id);
    if (ended != nullptr) recall(builder.state(), *ended);
    const auto found = refused_.find(ended == nullptr ? id : first_component(*ended));
    if (found == refused_.end()) return;
    const Jobs jobs = ended == nullptr ? Jobs() : components_known(builder.state(), *ended);
    if (jobs.empty() ||
        std::ranges::any_of(jobs, [](const Job* job) { return is_final(job->state); })) {
        refused_.erase(found);
        return;
    }
    const auto is_pending = [](const Job* job) { return job->state == JobState::pending; };
    if (!std::ranges::all_of(jobs, is_pending)) return;
    const bool for_job = found->second.why == NotBegun::for_job;
    const std::set<NodeId>& by = found->second.by;
    const bool stays_held = for_job && by.size() >= kNodesTried;
    if (auto elsewhere = stays_held ? std::nullopt : without(builder, jobs, by)) {
        const std::vector<JobId> all = components_with(*ended);
        record_all(builder, *std::move(elsewhere));
        if (!for_job) return;
        for (const JobId one : all) builder.record(JobHeld{one, Hold::none});
        return;
    }
    // The same nodes may try again once the job is released, or at this time.
    if (for_job) {
        refused_.erase(found);
        return record_all(builder, with_all_nodes(jobs, std::nullopt));
    }
    record_all(builder, with_all_nodes(jobs, builder.now() + kTryAgain));
}

void Refusals::on_start(const ClusterState& state, NodeId node) {
    refusing_.erase(node);
    std::erase_if(refused_, [&](const auto& one) { return state.find_job(one.first) == nullptr; });
}

void Refusals::forget(const Job& job) { refused_.erase(first_component(job)); }

}  // namespace berth
