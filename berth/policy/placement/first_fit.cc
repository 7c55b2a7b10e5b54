// first_fit: the first node, in the order of the configuration, that has room. With jobs ordered
// from largest to smallest, this is first-fit decreasing.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class FirstFit : public PlacementScore {
public:
    // Ties go to the lower node id.
    Ppm value(const Candidate&, const View&) const override { return Ppm(0); }
};

}  // namespace

RuleDef<PlacementScore> placement_first_fit() {
    return {
        .name = "first_fit",
        .summary = "Takes the first node that has room.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<FirstFit>();
        },
    };
}

}  // namespace berth
