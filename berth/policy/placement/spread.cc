// spread: the node that stays the emptiest for its size, so that load, heat and the damage of a
// node failure are even.
#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Spread : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View& view) const override {
        const NodeSpec& node = view.spec().node(candidate.node);
        const Ppm cpus = ratio(candidate.left.cpu(), node.capacity.cpu());
        const GpusOf gpus(candidate, view);
        const auto devices = static_cast<std::int64_t>(node.devices.size());
        if (devices == 0) return cpus;
        return (ratio(gpus.milli_after(), devices * kWholeGpu) * 9 + cpus) / 10;
    }
};

}  // namespace

RuleDef<PlacementScore> placement_spread() {
    return {
        .name = "spread",
        .summary = "Prefers the node that stays the emptiest for its size.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Spread>();
        },
    };
}

}  // namespace berth
