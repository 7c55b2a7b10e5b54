#include "berth/engine/state/other_tiers.h"

#include <algorithm>

#include "berth/base/bitmask.h"
#include "berth/engine/state/job_queries.h"

namespace berth {

PartitionTiers tiers_of(const ClusterSpec& spec) {
    PartitionTiers tiers;
    for (const PartitionSpec& one : spec.partitions) tiers.emplace(one.name, one.priority_tier);
    return tiers;
}

std::vector<JobId> jobs_in_other_order(const ClusterState& state, const PartitionTiers& before) {
    const ClusterSpec& spec = state.spec();
    BitSet nodes(spec.nodes.size());
    bool any = false;
    for (const PartitionSpec& one : spec.partitions) {
        const auto known = before.find(one.name);
        if (known == before.end() || known->second == one.priority_tier) continue;
        for (const NodeId node : *one.nodes) nodes.set(node.index());
        any = true;
    }
    std::vector<JobId> jobs;
    if (!any) return jobs;
    std::vector<bool> concerned;
    concerned.reserve(spec.partitions.size());
    for (const PartitionSpec& one : spec.partitions) {
        concerned.push_back(
            std::ranges::any_of(*one.nodes, [&](NodeId node) { return nodes.test(node.index()); }));
    }
    for (const JobId id : state.index().pending()) {
        const Job& job = *state.find_job(id);
        const std::vector<JobId> victims = state.index().victims(id);
        const bool is_waited_for = std::ranges::any_of(
            victims, [&](JobId one) { return state.find_job(one)->lends_cores(); });
        const auto in_one = [&](PartitionId one) { return concerned[one.index()]; };
        if (!is_waited_for && std::ranges::any_of(partitions_of(spec, job), in_one))
            jobs.push_back(id);
    }
    return jobs;
}

}  // namespace berth
