// restarts: what was preempted, or lost its node, comes back sooner than what was never begun.
//
// min(1, restarts / most). `restarts` is the job's, as `scontrol show job` prints it.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class RestartsTerm : public PriorityTerm {
public:
    explicit RestartsTerm(std::int64_t most) : most_(most) {}

    Factor value(const Job& job, const View&) const override {
        return {std::min<std::int64_t>(job.restarts, most_), most_};
    }

private:
    std::int64_t most_;
};

}  // namespace

RuleDef<PriorityTerm> priority_restarts() {
    return {
        .name = "restarts",
        .summary = "Rises with the times that the job was put back into the queue.",
        .settings = {{.name = "most",
                      .summary = "restarts with which a job has the full value",
                      .otherwise = 3,
                      .low = 1,
                      .high = 1000}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<RestartsTerm>(params.number("most"));
        },
    };
}

}  // namespace berth
