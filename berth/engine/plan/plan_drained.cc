// The part of PlanBook for drained devices. Each is booked without end, from the expected end of
// its last user on.
#include <algorithm>

#include "berth/engine/plan/plan_book.h"

namespace berth {
namespace {

// The job that holds this device whole.
std::optional<JobId> whole_holder(const ClusterState& state, NodeId node, std::uint32_t device) {
    for (const JobId id : state.index().on_node(node)) {
        for (const NodeShare& share : state.find_job(id)->allocation->shares) {
            if (share.node != node) continue;
            if ((share.whole_devices() & bit(static_cast<int>(device))) != 0) return id;
        }
    }
    return std::nullopt;
}

}  // namespace

void PlanBook::settle_drained(const ClusterState& state, NodeId node) {
    const std::vector<Device>& devices = state.spec().node(node).devices;
    const auto book = [&](std::uint32_t device, Time from, bool more) {
        Resources one;
        one[devices[device].dimension] = 1;
        change(node, from, kNever, one, more);
        if (from == Time::min()) free_groups_.change(node, one, more);
    };
    std::map<std::pair<NodeId, std::uint32_t>, Time> now;
    for (const DrainedDevice& drained : state.nodes().condition(node).drained_devices) {
        if (drained.device >= devices.size()) continue;
        Time from = shared_until(node, drained.device).value_or(Time::min());
        if (const auto holder = whole_holder(state, node, drained.device)) {
            from = running_.at(*holder).end;
        }
        now[{node, drained.device}] = from;
    }
    const auto first = drained_.lower_bound({node, 0});
    const auto last = drained_.upper_bound({node, UINT32_MAX});
    if (std::equal(first, last, now.begin(), now.end())) return;
    for (auto one = first; one != last; ++one) book(one->first.second, one->second, true);
    drained_.erase(first, last);
    for (const auto& [device, from] : now) book(device.second, from, false);
    drained_.merge(now);
    collision_ = true;  // Planned starts may have needed these devices.
    if (!reservations_.empty()) reserved_.clear();
}

}  // namespace berth
