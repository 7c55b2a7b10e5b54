#include "berth/engine/placement/resolved_demand.h"

#include "berth/engine/state/cluster_state.h"

namespace berth {
namespace {

void keep_nodes(Demand& demand, const FlavorNodes& flavors, std::uint8_t flavor) {
    for (BitSet& choice : demand.choices) {
        if (flavor < flavors.size()) choice &= flavors.nodes_of(flavor);
        if (flavor != kOtherNodes) continue;
        for (std::size_t f = 0; f < flavors.size(); ++f) choice -= flavors.nodes_of(f);
    }
}

}  // namespace

void keep_to(Demand& demand, const Reservation& reservation) {
    demand.reservation = reservation.name;
    if (reservation.flex) return;
    for (BitSet& choice : demand.choices) {
        BitSet reserved(choice.size());
        for (const auto& [node, amount] : reservation.amounts) reserved.set(node.index());
        choice &= reserved;
    }
}

void keep_to(Demand& demand, const ClusterState& state, const FlavorChoice& choice) {
    if (choice.flavor != FlavorChoice::kNone)
        keep_nodes(demand, state.quota().queues().flavors(), choice.flavor);
    if (choice.gres_type == FlavorChoice::kNone) return;
    const DimensionSet type = dimension_bit(DimensionId(choice.gres_type));
    for (auto* gres : {&demand.gres_per_node, &demand.gres_per_task, &demand.gres_total}) {
        for (GresDemand& one : *gres) {
            if ((one.dimensions & type) != 0) one.dimensions = type;
        }
    }
}

Demand resolved_demand(const ClusterState& state, const Job& job) {
    Demand demand = plain_demand_of(state.spec(), job);
    const Reservation* reservation = state.reservations().find(job.spec.request->reservation);
    if (reservation != nullptr) keep_to(demand, *reservation);
    if (!job.spec.flavor.none()) keep_to(demand, state, job.spec.flavor);
    return demand;
}

}  // namespace berth
