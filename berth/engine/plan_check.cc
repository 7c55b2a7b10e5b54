#include "berth/engine/plan_check.h"

#include <algorithm>
#include <vector>

#include "berth/engine/plan_book.h"

namespace berth {
namespace {

struct Interval {
    Time start, end;
    Resources amount;
    JobId job;
};

std::vector<std::vector<Interval>> intervals_of(const ClusterState& state, Time now) {
    std::vector<std::vector<Interval>> nodes(state.spec().nodes.size());
    for (const JobId id : state.holding_jobs()) {
        const Job& job = *state.find_job(id);
        const Time end = limit_end(state.spec().scheduling, job);
        if (end <= now) continue;
        for (const NodeShare& share : job.allocation->shares) {
            nodes[share.node.index()].push_back({now, end, share.amount, id});
        }
    }
    for (const auto& [id, planned] : state.plan()) {
        for (const auto& [node, amount] : planned.amounts) {
            nodes[node.index()].push_back({std::max(planned.start, now), planned.end, amount, id});
        }
    }
    return nodes;
}

}  // namespace

std::optional<std::string> check_plan(const ClusterState& state, Time now) {
    const auto nodes = intervals_of(state, now);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
        for (const Interval& at : nodes[n]) {  // The sum only grows where something begins.
            Resources sum;
            std::string jobs;
            for (const Interval& other : nodes[n]) {
                if (other.start > at.start || other.end <= at.start) continue;
                sum += other.amount;
                jobs += " " + to_string(other.job);
            }
            if (fits(sum, state.spec().nodes[n].capacity)) continue;
            return state.spec().nodes[n].name + " is booked twice at " +
                   std::to_string(at.start.time_since_epoch().count()) + " ms, by" + jobs;
        }
    }
    for (const auto& [id, planned] : state.plan()) {
        if (planned.end <= planned.start) return "an empty promise to " + to_string(id);
        for (const auto& [node, amount] : planned.amounts) {
            if (state.condition(node).schedulable()) continue;
            return "a promise to " + to_string(id) + " on a node that takes no work";
        }
    }
    return std::nullopt;
}

}  // namespace berth
