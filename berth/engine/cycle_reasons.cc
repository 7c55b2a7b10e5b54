// What a job waits for beside its turn and what others have: its reservation, others', licenses.
#include <algorithm>

#include "berth/engine/cycle.h"

namespace berth {
namespace {

constexpr const char* kForMaintenance = "Reserved for maintenance";
constexpr const char* kForOthers = "May be reserved for other job";

bool lacks_licenses(const Demand& demand, const LicenseBook& book, Time now) {
    if (demand.licenses.counts.empty()) return false;
    const auto choices = choices_of(demand.licenses);
    return std::ranges::all_of(choices, [&](const std::vector<LicenseCount>& choice) {
        return std::ranges::any_of(choice, [&](const LicenseCount& one) {
            return one.count > book.free_at(one.name, now);
        });
    });
}

// What reservations keep whole of the nodes during a run that would begin now.
struct Kept {
    BitSet nodes;
    bool maint = false;  // Some of it for maintenance.
};
Kept kept_from(const ClusterState& state, const Shape& shape, Time now) {
    Kept kept{BitSet(state.spec().nodes.size())};
    for (const auto& [name, reservation] : state.reservations()) {
        if (name == shape.demand().reservation || !reservation.whole_nodes) continue;
        const Time end = after(now, shape.length);
        const auto spans = spans_of(reservation);
        if (std::ranges::none_of(
                spans, [&](const Span& span) { return span.start < end && span.end > now; })) {
            continue;
        }
        for (const auto& [node, amount] : reservation.amounts) {
            kept.nodes.set(node.index());
            const bool wanted = std::ranges::any_of(
                shape.demand().choices, [&](const BitSet& one) { return one.test(node.index()); });
            kept.maint = kept.maint || (reservation.maint && wanted);
        }
    }
    return kept;
}

// Whether it would need some of these nodes.
bool needs(const Demand& demand, const BitSet& kept, const BitSet& usable) {
    if (demand.required.intersects(kept)) return true;
    return std::ranges::all_of(demand.choices, [&](const BitSet& choice) {
        BitSet left = choice;
        left &= usable;
        left -= kept;
        return left.count() < demand.nodes_min;
    });
}

}  // namespace

Gate CycleRun::special_reason(const PendingJob& pending) const {
    const Shape& shape = *pending.shape;
    const Reservation* own = state().find_reservation(shape.demand().reservation);
    if (own != nullptr && own->start > now_ && !own->flex) {
        return {.reason = PendingReason::reservation};
    }
    if (lacks_licenses(shape.demand(), outlook_.book.licenses(), now_)) {
        return {.reason = PendingReason::licenses};
    }
    if (state().reservations().empty()) return {};
    const Kept kept = kept_from(state(), shape, now_);
    if (!needs(shape.demand(), kept.nodes, outlook_.usable)) return {};
    return {.reason = PendingReason::req_node_not_avail,
            .detail = kept.maint ? kForMaintenance : kForOthers};
}

}  // namespace berth
