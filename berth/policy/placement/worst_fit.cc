// worst_fit: the node on which the most is left over, so that no small remnants arise.
#include "berth/policy/fullness.h"
#include "berth/policy/gpus_of.h"

namespace berth {
namespace {

class WorstFit : public PlacementScore {
public:
    explicit WorstFit(std::int64_t steps) : steps_(steps) {}
    Ppm value(const Candidate& candidate, const View& view) const override {
        return in_steps(kPpmOne - fullness(candidate, view), steps_);
    }

private:
    std::int64_t steps_;
};

}  // namespace

RuleDef<PlacementScore> placement_worst_fit() {
    return {
        .name = "worst_fit",
        .summary = "Prefers the node with the most left over.",
        .settings = {{"steps", "into how many steps the score is rounded; 0: not at all", 0, 0,
                      kStepsMax}},
        .make = [](const Params& params) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<WorstFit>(params.number("steps"));
        },
    };
}

}  // namespace berth
