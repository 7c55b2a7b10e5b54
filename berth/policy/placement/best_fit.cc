// best_fit: the node on which the least is left over; CPUs and GPUs count equally.
#include "berth/policy/fullness.h"
#include "berth/policy/gpus_of.h"

namespace berth {
namespace {

class BestFit : public PlacementScore {
public:
    explicit BestFit(std::int64_t steps) : steps_(steps) {}
    Ppm value(const Candidate& candidate, const View& view) const override {
        return in_steps(fullness(candidate, view), steps_);
    }

private:
    std::int64_t steps_;
};

}  // namespace

RuleDef<PlacementScore> placement_best_fit() {
    return {
        .name = "best_fit",
        .summary = "Prefers the node with the least left over.",
        .settings = {{"steps", "into how many steps the score is rounded; 0: not at all", 0, 0,
                      kStepsMax}},
        .make = [](const Params& params) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<BestFit>(params.number("steps"));
        },
    };
}

}  // namespace berth
