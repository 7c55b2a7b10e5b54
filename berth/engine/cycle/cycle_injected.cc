// Faults injected into the planner, which tests/oracle_plan must detect.
#include "berth/engine/cycle/cycle.h"

namespace berth {

std::optional<Found> CycleRun::start_beside_no_plan(const Demand& demand) const {
    const auto free = [&](NodeId node) {
        return derived_.usable.test(node.index()) ? &state().free(node).amount : nullptr;
    };
    auto placed = place(demand, free, preference_);
    if (auto* parts = std::get_if<std::vector<Part>>(&placed)) {
        return Found{now_, std::move(*parts)};
    }
    return std::nullopt;
}

bool CycleRun::break_planned_start(PendingJob& job, const PlannedReservation& known) {
    const bool again = job.looked && job.looked_at == now_;
    job.looked = job.looked_ahead = true;
    job.disturbed = false;
    job.looked_at = now_;
    job.looked_after = book().last_release();
    if (again) return false;
    const Time later = known.start + std::chrono::minutes(1);
    const PlannedReservation before = book().lift(job.id);
    const auto found = search(job, later, kNever);
    book().put(job.id, found ? planned_reservation_for(job, *found) : before);
    return false;
}

void CycleRun::ignore_blocking(BlockingReason& blocking) {
    const bool opens = blocking.by_limit || blocking.reason == PendingReason::begin_time ||
                       blocking.reason == PendingReason::dependency;
    if (opens) blocking = {};
}

void CycleRun::give_twice(Allocation& allocation) const {
    for (NodeShare& share : allocation.shares) {
        const int devices = static_cast<int>(state().spec().node(share.node).devices.size());
        const int count = popcount(share.devices);
        if (!share.device_share && count < devices) share.devices = low_bits(count);
    }
}

void CycleRun::tear_cliques(Allocation& allocation) const {
    for (NodeShare& share : allocation.shares) {
        DeviceMask free = state().free(share.node).devices;
        const int count = popcount(share.devices);
        share.devices = 0;
        for (int taken = 0; taken < count; ++taken) {
            const int highest = 63 - std::countl_zero(free);
            const DeviceMask one = bit(taken % 2 == 0 ? lowest(free) : highest);
            share.devices |= one;
            free &= ~one;
        }
    }
}

}  // namespace berth
