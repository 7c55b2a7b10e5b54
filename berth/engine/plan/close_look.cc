#include "berth/engine/plan/close_look.h"

#include "berth/base/assert.h"
#include "berth/engine/plan/linked.h"
#include "berth/engine/plan/on_sockets.h"

namespace berth {
namespace {

std::optional<Found> find_now(const Demand& demand, const SharedLook& look, const BitSet& usable,
                              const PlacementPreference& preference, const Topologies& topologies) {
    if (demand.share) return find_shared_now(demand, look, usable, preference);
    if (demand.linked > 0) return find_linked_now(demand, look, usable, preference, topologies);
    BERTH_ASSERT(demand.near.any_cores);
    return find_on_sockets_now(demand, look, usable, preference);
}

}  // namespace

std::optional<Found> find_by_close_look(const Demand& demand, const SharedLook& look,
                                        const BitSet& usable, const PlacementPreference& preference,
                                        const Topologies& topologies) {
    auto found = find_now(demand, look, usable, preference, topologies);
    if (found &&
        !take_licenses(demand.licenses, look.book, {look.now, look.now, look.length}, *found))
        return std::nullopt;
    return found;
}

}  // namespace berth
