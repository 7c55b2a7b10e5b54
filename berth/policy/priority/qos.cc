// qos: jobs of a higher quality of service come first.
//
// Priority of the QOS / the highest of all; with NO_NORMAL_QOS, the priority itself.
#include "berth/policy/own_over_highest.h"

namespace berth {
namespace {

OwnAndHighest qos_priorities(const Job& job, const View& view) {
    const auto& all = view.spec().qos;
    if (job.qos.index() >= all.size()) return {};
    return {.own = all[job.qos.index()].priority, .highest = view.totals().qos_priority_max};
}

}  // namespace

RuleDef<PriorityTerm> priority_qos() {
    return own_over_highest<qos_priorities>("qos",
                                            "The QOS's priority, next to the highest there is.");
}

}  // namespace berth
