// random: any node that has room, with equal probability; a baseline for other rules. The draw
// depends only on job and node, so the same job finds the same node again.
#include "berth/base/hash.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Random : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View&) const override {
        StateHash node;
        node.add(candidate.job);
        node.add(candidate.node);
        // Chooses only among the GPUs of one node, so a node with more GPUs is not more likely.
        StateHash gpu = node;
        gpu.add(candidate.chosen);
        return Ppm(below(node, 1'000'000) * 1000 + below(gpu, 1000));
    }
    GpuWeighing weighs_gpus() const override { return GpuWeighing::each; }
    bool tells_nodes_apart() const override { return true; }

private:
    static std::int64_t below(const StateHash& hash, std::uint64_t limit) {
        return static_cast<std::int64_t>(hash.value() % limit);
    }
};

}  // namespace

RuleDef<PlacementScore> placement_random() {
    return {
        .name = "random",
        .summary = "Takes any node that has room.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Random>();
        },
    };
}

}  // namespace berth
