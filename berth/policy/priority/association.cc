// association: jobs of some accounts and users come first.
//
// The association's priority / the highest of all, after `set_priority_factors` of Slurm's
// priority/multifactor; with NO_NORMAL_ASSOC, the priority itself.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Association : public PriorityTerm {
public:
    explicit Association(bool plain) : plain_(plain) {}

    Factor value(const Job& job, const View& view) const override {
        const AssociationStanding standing = view.association(job);
        if (plain_) return {standing.priority, 1};
        if (standing.priority_max <= 0) return {};
        return {standing.priority, standing.priority_max};
    }

private:
    bool plain_;
};

}  // namespace

RuleDef<PriorityTerm> priority_association() {
    return {
        .name = "association",
        .summary = "The priority of the job's association, next to the highest there is.",
        .settings = {{.name = "plain",
                      .summary = "1: as it is, not divided by the highest",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Association>(params.flag("plain"));
        },
    };
}

}  // namespace berth
