// nice: the amount by which users lower the priority of their own jobs. An operator may give a
// negative one.
//
// Subtracted as it is, one point each, after `_get_priority_internal` of Slurm's
// priority/multifactor. Its weight is 1 in configurations derived from Slurm's.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Nice : public PriorityTerm {
public:
    Factor value(const Job& job, const View&) const override { return {-job.spec.nice, 1}; }
};

}  // namespace

RuleDef<PriorityTerm> priority_nice() {
    return {
        .name = "nice",
        .summary = "Subtracts the job's --nice.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Nice>();
        },
    };
}

}  // namespace berth
