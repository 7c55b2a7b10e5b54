#include "berth/engine/placement/affinity.h"

#include <algorithm>

namespace berth {
namespace {

bool counts(const Affinity& wish, bool preferred) { return wish.required || preferred; }

// Visits the shares that jobs of this name and the same user hold now.
template <class Visit>
void each_share_of(const ClusterState& state, const Job& job, const std::string& name,
                   Visit visit) {
    for (const JobId id : state.index().singletons(job.owner->uid, name)) {
        const Job* other = state.find_job(id);
        if (id == job.id || other == nullptr || !other->allocation) continue;
        for (const NodeShare& share : other->allocation->shares) visit(share);
    }
}

bool has_feature(const NodeSpec& node, const std::string& name) {
    return std::ranges::find(node.features, name) != node.features.end();
}

BitSet nodes_named_by(const ClusterState& state, const Job& job, const Affinity& wish) {
    BitSet nodes(state.spec().nodes.size());
    if (wish.to == Affinity::To::feature) {
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            if (has_feature(state.spec().nodes[n], wish.name)) nodes.set(n);
        }
        return nodes;
    }
    each_share_of(state, job, wish.name,
                  [&](const NodeShare& share) { nodes.set(share.node.index()); });
    return nodes;
}

}  // namespace

bool depends_on_running(const Job& job) {
    return std::ranges::any_of(job.spec.request->nearness->affinities, [](const Affinity& wish) {
        return wish.to != Affinity::To::feature && wish.required;
    });
}

bool has_preferences(const Job& job) {
    return std::ranges::any_of(job.spec.request->nearness->affinities,
                               [](const Affinity& wish) { return !wish.required; });
}

BitSet nodes_as_wished(const ClusterState& state, const Job& job, const BitSet& usable,
                       bool preferred) {
    BitSet nodes = usable;
    for (const Affinity& wish : job.spec.request->nearness->affinities) {
        // A GPU to be avoided may be on the same node as a suitable one.
        const bool of_gpu_apart = wish.to == Affinity::To::job_on_gpu && wish.apart;
        if (!counts(wish, preferred) || of_gpu_apart) continue;
        const BitSet named = nodes_named_by(state, job, wish);
        nodes = wish.apart ? nodes - named : nodes & named;
    }
    return nodes;
}

DeviceMask devices_as_wished(const ClusterState& state, const Job& job, NodeId node,
                             bool preferred) {
    DeviceMask devices = ~DeviceMask{0};
    for (const Affinity& wish : job.spec.request->nearness->affinities) {
        if (wish.to != Affinity::To::job_on_gpu || !counts(wish, preferred)) continue;
        DeviceMask held = 0;
        each_share_of(state, job, wish.name, [&](const NodeShare& share) {
            if (share.node == node) held |= share.devices;
        });
        devices &= wish.apart ? ~held : held;
    }
    return devices;
}

}  // namespace berth
