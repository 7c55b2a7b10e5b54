#include "berth/control/agents/refusals.h"

#include <algorithm>

#include "berth/control/agents/changed_by.h"
#include "berth/engine/admission/admission.h"
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

// The job with the nodes that refused it excluded; nullopt: no other node could run it.
std::optional<JobUpdated> without(const TurnBuilder& builder, const Job& job,
                                  const std::set<NodeId>& nodes) {
    auto admitted = admit_update(builder.state(), builder.now(),
                                 refused_by(job, names_in_order(builder, nodes)), true);
    auto* const fact = std::get_if<JobUpdated>(&admitted);
    if (fact == nullptr) return std::nullopt;
    // The partition of those nodes takes it again when they do: it stays among those that it names.
    fact->partition.reset();
    fact->partitions.reset();
    return std::move(*fact);
}

}  // namespace

// If the batch host reports the refusal, nothing of the job has begun there, so --no-requeue does
// not forbid the requeue. A refusal by another node does not show that.
bool Refusals::requeue(TurnBuilder& builder, NodeId node, const Job& job,
                       const AttemptReport& report) {
    const bool whole = !job.het && !job.spec.command->interactive;
    const bool may = may_requeue(builder.state(), job) || job.nodes.front() == node;
    if (!whole || !may) return false;
    OfJob& refusals = refused_[job.id];
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
    jobs.insert(report.job);
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

void Refusals::settle(TurnBuilder& builder, JobId id) {
    const auto found = refused_.find(id);
    if (found == refused_.end()) return;
    const Job* const job = builder.state().find_job(id);
    if (job == nullptr || is_final(job->state)) {
        refused_.erase(found);
        return;
    }
    if (job->state != JobState::pending) return;
    const OfJob& refusals = found->second;
    const bool for_job = refusals.why == NotBegun::for_job;
    if (for_job && refusals.by.size() >= kNodesTried) {  // The job stays held.
        builder.record(refused_by(*job, {}));
        refused_.erase(found);
        return;
    }
    if (auto elsewhere = without(builder, *job, refusals.by)) {
        builder.record(*std::move(elsewhere));
        if (for_job) builder.record(JobHeld{id, Hold::none});
        return;
    }
    // The same nodes may try again once the job is released, or at this time.
    JobUpdated again = refused_by(*job, {});
    if (for_job) {
        refused_.erase(found);
    } else {
        const Time at = builder.now() + kTryAgain;
        again.begin = std::max(at, job->spec.begin.value_or(at));
    }
    builder.record(std::move(again));
}

void Refusals::forget(const ClusterState& state, NodeId node, JobId id) {
    refusing_.erase(node);
    refused_.erase(id);
    std::erase_if(refused_, [&](const auto& one) { return state.find_job(one.first) == nullptr; });
}

}  // namespace berth
