// weight: nodes of a lower Weight are filled first, as slurm.conf says.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Weight : public PlacementScore {
public:
    // Not a fraction: a step in Weight is a whole one, so that rules of a small weight cannot
    // outdo it.
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
