#include "berth/engine/placement/linked_gpus.h"

#include <algorithm>
#include <map>

#include "berth/engine/placement/placement_devices.h"

namespace berth {
namespace {

std::vector<int> devices_of_type(const NodeSpec& node, DimensionId type) {
    std::vector<int> devices;
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
        if (node.devices[i].dimension == type) devices.push_back(static_cast<int>(i));
    }
    return devices;
}

std::optional<std::int64_t> enough_of(const Wiring& wiring, std::int64_t count) {
    const DeviceTable table(wiring);
    const auto all = static_cast<std::int64_t>(wiring.sockets.size());
    if (count < 1 || count > all) return std::nullopt;
    const DeviceMask every = low_bits(static_cast<int>(all));
    if (!table.is_linked(table.choose(every, static_cast<int>(count)))) return std::nullopt;
    if (table.is_linked(every)) return count;
    if (!table.is_exact()) return all;
    std::int64_t enough = count;
    for (DeviceMask free = 0; free <= every; ++free) {
        if (popcount(free) < enough) continue;
        if (!table.is_linked(table.choose(free, static_cast<int>(count)))) {
            enough = popcount(free) + 1;
        }
    }
    return enough;
}

}  // namespace

std::optional<std::int64_t> enough_for_linked(const NodeSpec& node, DimensionId type,
                                              std::int64_t count) {
    return enough_of(wiring_of(node, devices_of_type(node, type)), count);
}

std::int64_t enough_for_linked(const ClusterSpec& spec, DimensionSet types, std::int64_t count,
                               BitSet& nodes) {
    std::map<std::pair<Wiring, DimensionId>, std::optional<std::int64_t>> known;
    std::int64_t enough = count;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        bool able = false;
        for_each_bit(types, [&](int d) {
            const DimensionId type(static_cast<std::uint32_t>(d));
            const NodeSpec& node = spec.nodes[n];
            Wiring wiring = wiring_of(node, devices_of_type(node, type));
            const auto [at, is_new] = known.try_emplace({std::move(wiring), type});
            if (is_new) at->second = enough_of(at->first.first, count);
            if (!at->second) return;
            able = true;
            enough = std::max(enough, *at->second);
        });
        if (!able) nodes.reset(n);
    }
    return enough;
}

}  // namespace berth
