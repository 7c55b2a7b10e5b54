// PlanBook: what follows from a change of one run for those that share cores with it.
#include <algorithm>
#include <set>

#include "berth/engine/plan/plan_book.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

void PlanBook::count_lent(const PlannedReservation& planned_reservation, bool more) {
    if (!planned_reservation.lends()) return;
    more ? ++lent_ : --lent_;
    for (const NodeId node : planned_reservation.amounts.nodes())
        more ? ++lent_on_[node.index()] : --lent_on_[node.index()];
}

// Whether somebody lends or borrows there now, or did when it was last booked.
bool PlanBook::concerns_lent(const ClusterState& state, NodeId node) const {
    return lent_on_[node.index()] > 0 || state.index().any_lender_on(node);
}

// Runs on the job's nodes, and on those of its lenders; where an end changes, also on the other
// nodes of that run, whose lenders go on at another time. `borrowed`: the job did until now, so
// that runs on its nodes may have lent by turns. Returns the planned starts there.
std::vector<JobId> PlanBook::refresh_sharers(const ClusterState& state, Time now, const Job& job,
                                             bool borrowed, RunEnds& run_ends) {
    std::vector<NodeId> nodes(job.nodes.begin(), job.nodes.end());
    const auto add = [&](const Job& run) {
        nodes.insert(nodes.end(), run.nodes.begin(), run.nodes.end());
    };
    for (const JobId id : state.index().victims(job.id)) {
        const Job& run = *state.find_job(id);
        if (run.lends_cores()) add(run);
    }
    std::vector<JobId> starts;
    std::set<NodeId> seen;
    std::set<JobId> done = {job.id};
    while (!nodes.empty()) {
        const NodeId node = nodes.back();
        nodes.pop_back();
        const bool is_own = borrowed && std::ranges::find(job.nodes, node) != job.nodes.end();
        if (!seen.insert(node).second || !(is_own || concerns_lent(state, node))) continue;
        const std::span<const JobId> planned = planned_on(node);
        starts.insert(starts.end(), planned.begin(), planned.end());
        for (const JobId id : state.index().on_node(node)) {
            if (!done.insert(id).second) continue;
            const PlannedReservation* const before = find(id);
            const bool is_new = before == nullptr;
            const Time end = is_new ? kNever : before->end;
            refresh_own(state, now, id, run_ends);
            if (is_new || find(id)->end != end) add(*state.find_job(id));
        }
    }
    put_in_order(starts);
    return starts;
}

// A planned start may have moved in this cycle: only what it borrows is derived from the state.
void PlanBook::refresh_lent(const ClusterState& state, Time now, const Job& job, bool borrowed,
                            RunEnds& run_ends) {
    for (const JobId id : refresh_sharers(state, now, job, borrowed, run_ends)) {
        PlannedReservation planned = *planned_start(id);
        const berth::Shared<std::vector<Millicpu>> lent =
            lent_to_start(state, planned.amounts, state.index().victims(id));
        if (planned.rarely->lent == lent) continue;
        collision_ = true;
        remove(id);
        planned.set_lent(lent);
        enter(id, std::move(planned));
    }
}

}  // namespace berth
