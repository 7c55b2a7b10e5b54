#include "berth/sim/wear.h"

#include <algorithm>
#include <array>

namespace berth::sim {
namespace {

// Entry i: the time, in thousandths of the mean, after which i sixteenths of all nodes have failed
// at a constant rate: -ln(1 - i/16). The last entry adds one mean.
constexpr auto kExponential = std::to_array<std::int64_t>(
    {0, 65, 134, 208, 288, 375, 470, 575, 693, 827, 981, 1163, 1386, 1674, 2079, 2773, 4500});

}  // namespace

WearAndTear::WearAndTear(const Wear& wear, const ClusterSpec& cluster, Time begin) : wear_(wear) {
    Rng rng(wear.seed);
    for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
        rngs_.push_back(rng.fork());
        if (wear.time_between_losses <= Duration(0) || cluster.nodes[i].gone) continue;
        const NodeId node = NodeId::from_index(i);
        due_.put(begin + until_loss(node), {What::lost, node});
    }
}

Duration WearAndTear::until_loss(NodeId node) {
    Rng& rng = rngs_[node.index()];
    constexpr std::int64_t kFine = 1000;
    const auto step = static_cast<std::size_t>(rng.between(0, 15));
    const std::int64_t within = rng.between(0, kFine - 1);
    const std::int64_t low = kExponential[step], high = kExponential[step + 1];
    const std::int64_t thousandths = low * kFine + (high - low) * within;
    const auto mean = wear_.time_between_losses.count();
    return std::max(Duration(1), Duration(static_cast<Duration::rep>(Wide{mean} * thousandths /
                                                                     (kFine * 1000))));
}

WearAndTear::Event WearAndTear::take(Time now) {
    const Event event = due_.take();
    switch (event.what) {
        case What::lost:
            due_.put(now + wear_.detection, {What::known_down, event.node});
            due_.put(now + std::max(wear_.repair, wear_.detection + Duration(1)),
                     {What::back, event.node});
            break;
        case What::known_down: break;
        case What::back: due_.put(now + until_loss(event.node), {What::lost, event.node}); break;
    }
    return event;
}

}  // namespace berth::sim
