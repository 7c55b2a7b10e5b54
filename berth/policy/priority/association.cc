// association: jobs of some accounts and users come first.
//
// The association's priority / the highest of all; with NO_NORMAL_ASSOC, the priority itself.
#include "berth/policy/own_over_highest.h"

namespace berth {
namespace {

OwnAndHighest association_priorities(const Job& job, const View& view) {
    const AssociationStanding standing = view.association(job);
    return {.own = standing.priority, .highest = standing.priority_max};
}

}  // namespace

RuleDef<PriorityTerm> priority_association() {
    return own_over_highest<association_priorities>(
        "association", "The priority of the job's association, next to the highest there is.");
}

}  // namespace berth
