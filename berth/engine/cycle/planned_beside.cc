#include "berth/engine/cycle/planned_beside.h"

#include "berth/engine/state/job_ids.h"

namespace berth {

std::vector<JobId> planned_on(const PlanBook& book, std::span<const NodeId> nodes) {
    std::vector<JobId> jobs;
    for (const NodeId node : nodes) {
        const auto planned = book.planned_on(node);
        jobs.insert(jobs.end(), planned.begin(), planned.end());
    }
    for (const auto& [id, planned] : book.planned_starts()) {
        if (!planned.limits.empty() || !planned.rarely->licenses->empty()) jobs.push_back(id);
    }
    put_in_order(jobs);
    return jobs;
}

}  // namespace berth
