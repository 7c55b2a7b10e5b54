// check_invariants: checks from scratch everything that must hold between the parts of the state.
#include "berth/engine/state/cluster_state.h"

#include <algorithm>

namespace berth {

namespace {

// Steps stay within their job's shares, and steps that may not overlap share nothing.
void check_steps(const Job& job) {
    for (const Step& step : job.steps) {
        BERTH_ASSERT(step.id.value() < job.next_step || step.id >= kBatchStep);
        BERTH_ASSERT((step.state == StepState::running) == !step.shares.empty());
    }
    for (const NodeShare& held : job.allocation->shares) {
        BitSet cores(held.cores.size());
        DeviceMask devices = 0;
        for (const Step& step : job.steps) {
            for (const StepShare& share : step.shares) {
                if (share.node != held.node) continue;
                BERTH_ASSERT(share.cores.is_subset_of(held.cores));
                BERTH_ASSERT((share.devices & ~held.devices) == 0);
                if (step.overlap || step.id >= kBatchStep) continue;
                BERTH_ASSERT(!share.cores.intersects(cores) && (share.devices & devices) == 0);
                cores |= share.cores;
                devices |= share.devices;
            }
        }
    }
}

void check_job(const Job& job) {
    const bool holds = job.state == JobState::running || job.state == JobState::completing;
    BERTH_ASSERT(job.allocation.has_value() == holds);
    BERTH_ASSERT(job.ended_at.has_value() ==
                 (is_final(job.state) || job.state == JobState::completing));
    if (job.state == JobState::pending) {
        BERTH_ASSERT(!job.started_at && job.steps.empty() && !job.suspension);
    }
    BERTH_ASSERT(!job.is_suspended() || job.state == JobState::running);
    if (job.spec.array) {
        const auto& tasks = job.spec.array->tasks;
        BERTH_ASSERT(!tasks.empty() && std::is_sorted(tasks.begin(), tasks.end()));
        BERTH_ASSERT(!job.array_task && !holds);
    }
    if (!holds) return;
    BERTH_ASSERT(job.started_at && job.attempt.value() > 0);
    BERTH_ASSERT(job.state == JobState::completing || job.hold == Hold::none);
    BERTH_ASSERT(job.state == JobState::completing || job.outcome == JobState::pending);
    // A running gang is complete; a completing one holds some of its nodes, in order.
    const auto& shares = job.allocation->shares;
    BERTH_ASSERT(!shares.empty());
    BERTH_ASSERT(job.state == JobState::completing || shares.size() == job.nodes.size());
    auto next = job.nodes.begin();
    for (const NodeShare& share : shares) {
        next = std::find(next, job.nodes.end(), share.node);
        BERTH_ASSERT(next != job.nodes.end());
        ++next;
    }
    check_steps(job);
}

}  // namespace

void ClusterState::check_invariants() const {
    nodes_.check(node_sources());
    JobIndex fresh;
    for (const auto& [id, job] : jobs_) {
        BERTH_ASSERT(id == job.id);
        check_job(job);
        fresh.add(job);
    }
    BERTH_ASSERT(fresh == index_);
    BERTH_ASSERT(!jobs_.contains(next_job_id_));
    schedule_.check(jobs_);
    for (const auto& [id, planned] : schedule_.planned_starts()) {
        for (const auto& [node, amount] : planned.amounts) {
            BERTH_ASSERT(node.index() < nodes_.size());
        }
    }
    usage_.check(rates_from_scratch());
    check_quota();
}

}  // namespace berth
