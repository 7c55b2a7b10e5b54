// interactive: somebody sits before the terminal of a job of salloc or srun.
//
// 1 for these jobs, 0 for those that have a script.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class InteractiveTerm : public PriorityTerm {
public:
    Factor value(const Job& job, const View&) const override {
        return {job.spec.command->interactive ? 1 : 0, 1};
    }
};

}  // namespace

RuleDef<PriorityTerm> priority_interactive() {
    return {
        .name = "interactive",
        .summary = "The full value for jobs of salloc and srun, none for those with a script.",
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<InteractiveTerm>();
        },
    };
}

}  // namespace berth
