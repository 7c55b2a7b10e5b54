// weight: nodes of a lower Weight are filled first, as in slurm.conf.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Weight : public PlacementScore {
public:
    // Not a fraction: one step of Weight is a whole unit, so rules with a small weight cannot
    // outweigh it.
    Ppm value(const Candidate& candidate, const View& view) const override {
        return kPpmOne * -std::int64_t{view.spec().node(candidate.node).weight};
    }
};

}  // namespace

RuleDef<PlacementScore> placement_weight() {
    return {
        .name = "weight",
        .summary = "Prefers nodes of a lower Weight.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Weight>();
        },
    };
}

}  // namespace berth
