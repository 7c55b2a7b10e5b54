#include "berth/engine/cycle/feasibility.h"

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/placement/together.h"

namespace berth {

void find_feasibility(const OpenCycle& cycle, Kind& kind) {
    if (kind.feasibility != Kind::Feasibility::unknown) return;
    // --switches=N@wait: the demand after the wait.
    const Demand& demand = kind.relaxed ? *kind.relaxed : kind.demand;
    if (could_run_when_free(demand, cycle.state(), cycle.preference())) {
        kind.feasibility = Kind::Feasibility::fits;
    } else {
        kind.feasibility = could_ever_run(demand, cycle.preference()) ? Kind::Feasibility::not_now
                                                                      : Kind::Feasibility::never;
    }
}

BlockingReason feasibility_of_all(const OpenCycle& cycle, const std::vector<PendingJob*>& all) {
    Kind& kind = *all.front()->shape->kind;
    std::vector<const Demand*> demands;
    demands.reserve(all.size());
    for (const PendingJob* const one : all) demands.push_back(&one->shape->demand());
    if (kind.together == Kind::Feasibility::unknown) {
        const ClusterSpec& spec = cycle.state().spec();
        const auto takes_work = [&](NodeId node) {
            return cycle.state().nodes().condition(node).schedulable();
        };
        const auto any = [](NodeId) { return true; };
        kind.together = may_fit_together(demands, spec, takes_work) ? Kind::Feasibility::fits
                        : may_fit_together(demands, spec, any)      ? Kind::Feasibility::not_now
                                                                    : Kind::Feasibility::never;
    }
    if (kind.together == Kind::Feasibility::fits) return {};
    if (kind.together == Kind::Feasibility::never)
        return {.reason = PendingReason::bad_constraints};
    return {.reason = PendingReason::req_node_not_avail,
            .more = BlockingReason::More{.detail = missing_nodes(cycle.state(), demands)}};
}

}  // namespace berth
