// site: points that an administrator adds to a job, by `scontrol update SiteFactor=`.
//
// Added as they are, after `_get_priority_internal` of Slurm's priority/multifactor.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Site : public PriorityTerm {
public:
    Factor value(const Job& job, const View&) const override { return {job.site_factor, 1}; }
};

}  // namespace

RuleDef<PriorityTerm> priority_site() {
    return {
        .name = "site",
        .summary = "Adds the job's site factor.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Site>();
        },
    };
}

}  // namespace berth
