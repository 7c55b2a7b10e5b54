// pack: fill the fullest node that still has room, and keep whole nodes free for whole-node jobs.
//
// What fragments a GPU cluster is leftover GPUs, so these weigh nine times as much as leftover
// CPUs. Jobs without GPUs therefore go first to nodes that have no free GPU, and last to nodes full
// of free ones.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Pack : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View& view) const override {
        const Resources& capacity = view.spec().node(candidate.node).capacity;
        const Dimensions& dimensions = view.spec().dimensions;
        std::int64_t left = 0, whole = 0;
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const DimensionId dimension = DimensionId::from_index(i);
            if (dimensions.at(dimension).name != "gpu") continue;
            left += candidate.left[dimension];
            whole += capacity[dimension];
        }
        const Ppm devices = ratio(left, whole);
        const Ppm cpus = ratio(candidate.left.cpu(), capacity.cpu());
        return kPpmOne - (devices * 9 + cpus) / 10;
    }
};

}  // namespace

RuleDef<PlacementScore> placement_pack() {
    return {
        .name = "pack",
        .summary = "Prefers the node with the fewest GPUs, then CPUs, left over.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Pack>();
        },
    };
}

}  // namespace berth
