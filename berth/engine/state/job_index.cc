#include "berth/engine/state/job_index.h"

namespace berth {
namespace {

template <class Key>
std::vector<JobId> second_of(const std::set<std::pair<Key, JobId>>& pairs, const Key& first) {
    std::vector<JobId> found;
    for (auto at = pairs.lower_bound({first, JobId(0)}); at != pairs.end() && at->first == first;
         ++at) {
        found.push_back(at->second);
    }
    return found;
}

}  // namespace

// Visits every index entry of a job, except its request id and name, as a set and its element.
template <class Apply>
void JobIndex::each_entry(const Job& job, Apply apply) {
    if (job.state == JobState::pending) {
        apply(pending_, job.id);
        for (const Dependency& dependency : job.spec.dependencies) {
            if (dependency.kind != DependencyKind::singleton) {
                apply(dependents_, std::pair(dependency.job, job.id));
            }
        }
    }
    if (is_final(job.state)) {
        apply(finished_, std::pair(job.ended_at.value_or(job.submitted_at), job.id));
    }
    if (job.allocation) {
        apply(holding_, job.id);
        for (const NodeShare& share : job.allocation->shares) {
            apply(on_node_, std::pair(share.node, job.id));
        }
        if (job.allocation->preempted)
            apply(preempted_, std::pair(job.allocation->preempted->by, job.id));
        if (job.awaits_turn()) apply(awaiting_turn_, job.id);
        if (job.lends_cores()) {
            for (const NodeShare& share : job.allocation->shares)
                apply(lenders_, std::pair(share.node, job.id));
        }
    }
    if (job.array_job && *job.array_job != job.id) {
        apply(array_tasks_, std::pair(*job.array_job, job.id));
    }
}

void JobIndex::add(const Job& job) {
    if (!is_final(job.state)) names_.add(job.owner->uid, job.spec.name, job.id);
    each_entry(job, [](auto& set, const auto& element) { set.insert(element); });
    if (!job.spec.request_id.empty()) requests_.try_emplace(job.spec.request_id, job.id);
}

void JobIndex::remove(const Job& job) {
    if (!is_final(job.state)) names_.remove(job.owner->uid, job.spec.name, job.id);
    each_entry(job, [](auto& set, const auto& element) { set.erase(element); });
    const auto known = requests_.find(job.spec.request_id);
    if (known != requests_.end() && known->second == job.id) requests_.erase(known);
}

std::optional<JobId> JobIndex::find_request(std::string_view request_id) const {
    const auto known = requests_.find(request_id);
    if (known == requests_.end()) return std::nullopt;
    return known->second;
}

std::vector<JobId> JobIndex::array_tasks(JobId array) const {
    return second_of(array_tasks_, array);
}
std::vector<JobId> JobIndex::on_node(NodeId node) const { return second_of(on_node_, node); }
bool JobIndex::any_lender_on(NodeId node) const {
    const auto first = lenders_.lower_bound({node, JobId(0)});
    return first != lenders_.end() && first->first == node;
}
std::vector<JobId> JobIndex::dependents(JobId job) const { return second_of(dependents_, job); }
std::vector<JobId> JobIndex::victims(JobId preemptor) const {
    return second_of(preempted_, preemptor);
}
}  // namespace berth
