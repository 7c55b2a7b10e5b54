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
    check_nodes();
    JobIndex fresh;
    for (const auto& [id, job] : jobs_) {
        BERTH_ASSERT(id == job.id);
        check_job(job);
        fresh.add(job);
    }
    BERTH_ASSERT(fresh == index_);
    BERTH_ASSERT(!jobs_.contains(next_job_id_));
    for (const auto& [id, planned] : planned_) {
        BERTH_ASSERT(index_.pending().contains(id) && planned.start <= planned.end);
        BERTH_ASSERT(jobs_.at(id).hold == Hold::none && !planned.amounts.empty());
        for (const auto& [node, amount] : planned.amounts) {
            BERTH_ASSERT(node.index() < spec_.nodes.size());
        }
    }
    usage_.check(rates_from_scratch());
    check_quota();
    for (const auto& [id, standing] : standings_) BERTH_ASSERT(jobs_.contains(id));
}

// Allocations plus free resources equal the node, and no core or device is held twice.
void ClusterState::check_nodes() const {
    BERTH_ASSERT(conditions_.size() == spec_.nodes.size() && free_.size() == spec_.nodes.size());
    std::vector<NodeFree> expected;
    expected.reserve(spec_.nodes.size());
    for (const NodeSpec& node : spec_.nodes) expected.push_back(all_free(node));
    std::vector<BitSet> held_cores(spec_.nodes.size());
    std::vector<DeviceMask> held_devices(spec_.nodes.size());
    for (const JobId id : index_.holding()) {
        for (const NodeShare& share : jobs_.at(id).allocation->shares) {
            const std::size_t node = share.node.index();
            BERTH_ASSERT((held_devices[node] & share.whole_devices()) == 0);
            held_devices[node] |= share.whole_devices();
            if (held_cores[node].size() == 0) held_cores[node] = BitSet(share.cores.size());
            // Skipped if the node was reconfigured.
            if (held_cores[node].size() == share.cores.size()) {
                BERTH_ASSERT(!held_cores[node].intersects(share.cores));
                held_cores[node] |= share.cores;
            }
            subtract(expected[node], share, spec_.nodes[node]);
        }
    }
    for (std::size_t node = 0; node < free_.size(); ++node) {
        drain(expected[node], conditions_[node].drained_mask(), spec_.nodes[node]);
    }
    BERTH_ASSERT(expected == free_);
    for (std::size_t node = 0; node < free_.size(); ++node) check_shared(node, held_devices[node]);
}

// No device is held both whole and in parts, and no more parts are held than it has.
void ClusterState::check_shared(std::size_t node, DeviceMask held_whole) const {
    for (const SharedDevice& shared : free_[node].shared) {
        const Device& device = spec_.nodes[node].devices[shared.device];
        BERTH_ASSERT(shared.jobs > 0 && (held_whole & bit(static_cast<int>(shared.device))) == 0);
        const auto kind =
            std::ranges::find(device.shares, shared.used.dimension, &ShareKind::dimension);
        if (kind == device.shares.end()) continue;  // The node was reconfigured.
        BERTH_ASSERT(shared.used.parts <= kind->parts || free_[node].amount[kind->dimension] < 0);
    }
}

}  // namespace berth
