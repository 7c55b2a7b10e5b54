// tres: orders jobs by what they ask for, with a weight for each TRES.
//
// The sum of weight × requested / what the partition has, after `set_priority_factors` of Slurm's
// priority/multifactor; with NO_NORMAL_TRES, the requested amount is not divided. See
// tres_points.h.
#include "berth/policy/rule.h"
#include "berth/policy/tres_points.h"

namespace berth {
namespace {

class Tres : public PriorityTerm {
public:
    explicit Tres(bool plain) : plain_(plain) {}

    Factor value(const Job& job, const View& view) const override {
        std::int64_t sum = 0;
        for (const TresPoints& one : tres_points(job, view, plain_)) sum += one.micropoints;
        return {sum, 1'000'000};
    }

private:
    bool plain_;
};

}  // namespace

RuleDef<PriorityTerm> priority_tres() {
    return {
        .name = "tres",
        .summary = "The job's part of its partition's TRES, by PriorityWeightTRES.",
        .settings = {{.name = "plain",
                      .summary = "1: what is asked for as it is, not as a part",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Tres>(params.flag("plain"));
        },
    };
}

}  // namespace berth
