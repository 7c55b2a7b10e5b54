// fair_share: users and accounts that have used less than their share come first.
//
// The factor that the site's fairness rule gives the job's association; see policy/fairness/.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class FairShare : public PriorityTerm {
public:
    Factor value(const Job& job, const View& view) const override {
        return view.association(job).fair_share;
    }
};

}  // namespace

RuleDef<PriorityTerm> priority_fair_share() {
    return {
        .name = "fair_share",
        .summary = "How far the job's user and accounts are below their shares.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<FairShare>();
        },
    };
}

}  // namespace berth
