// first_fit: the first node, in the order of the configuration, that has room. Together with an
// order of jobs from the largest to the smallest this is first-fit decreasing.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class FirstFit : public PlacementScore {
public:
    Ppm value(const Candidate&, const View&) const override { return Ppm(0); }  // Ties decide.
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
