#include "berth/control/requests/job_ref.h"

#include <algorithm>
#include <set>

#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// "1-3,7"
std::string ranges(std::span<const std::uint32_t> tasks) {
    std::string text;
    for (std::size_t i = 0; i < tasks.size();) {
        std::size_t last = i;
        while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
        if (!text.empty()) text += ",";
        text += std::to_string(tasks[i]);
        if (last > i) text += "-" + std::to_string(tasks[last]);
        i = last + 1;
    }
    return text;
}

// Components of a heterogeneous job; empty: it is none, or lacks that component.
std::vector<JobTarget> components(const ClusterState& state, const JobRef& ref) {
    const Job* const job = state.find_job(ref.job);
    if (job == nullptr || !job->het || job->het->first != ref.job) return {};
    std::vector<JobTarget> targets;
    for (std::uint32_t i = 0; i < job->het->size; ++i) {
        if (ref.het_offset && ref.het_offset != i) continue;
        if (state.find_job(job->het->id(i)) != nullptr) targets.push_back({job->het->id(i), {}});
    }
    return targets;
}

// The part of a record that the reference selects.
std::optional<JobTarget> part_of(const Job& job, const std::vector<std::uint32_t>& wanted) {
    if (wanted.empty()) return JobTarget{job.id, {}};
    if (job.array_task) {
        if (!std::ranges::binary_search(wanted, *job.array_task)) return std::nullopt;
        return JobTarget{job.id, {}};
    }
    if (!job.spec.array) return std::nullopt;
    JobTarget target{job.id, {}};
    std::ranges::set_intersection(job.spec.array->tasks, wanted, std::back_inserter(target.tasks));
    if (target.tasks.empty()) return std::nullopt;
    if (target.tasks.size() == job.spec.array->tasks.size()) target.tasks.clear();
    return target;
}

}  // namespace

std::string to_text(const JobRef& ref) {
    std::string text = to_string(ref.job);
    if (ref.het_offset) return text + "+" + std::to_string(*ref.het_offset);
    if (ref.array_tasks.empty()) return text;
    if (ref.array_tasks.size() == 1) return text + "_" + std::to_string(ref.array_tasks.front());
    return text + "_[" + ranges(ref.array_tasks) + "]";
}

std::variant<std::vector<JobTarget>, Refusing> find_targets(const ClusterState& state,
                                                            const JobRef& ref) {
    if (ref.array_tasks.empty()) {
        std::vector<JobTarget> targets = components(state, ref);
        if (!targets.empty()) return targets;
    }
    if (ref.het_offset) {
        return Refusing{Refusal::unknown_job, "There is no job " + to_text(ref), {}};
    }
    std::vector<std::uint32_t> wanted = ref.array_tasks;
    std::ranges::sort(wanted);
    const auto repeated = std::ranges::unique(wanted);
    wanted.erase(repeated.begin(), repeated.end());
    std::set<JobId> records;
    for (const JobId member : array_members(state, ref.job)) records.insert(member);
    if (state.find_job(ref.job) != nullptr) records.insert(ref.job);
    std::vector<JobTarget> targets;
    for (const JobId record : records) {
        if (auto target = part_of(*state.find_job(record), wanted)) {
            targets.push_back(*std::move(target));
        }
    }
    if (!targets.empty()) return targets;
    return Refusing{Refusal::unknown_job, "There is no job " + to_text(ref), {}};
}

std::variant<JobTarget, Refusing> find_single(const ClusterState& state, const JobRef& ref) {
    auto found = find_targets(state, ref);
    if (auto* refusing = std::get_if<Refusing>(&found)) return std::move(*refusing);
    auto& targets = std::get<std::vector<JobTarget>>(found);
    if (targets.size() == 1) return std::move(targets.front());
    // "12" for an array that has partly started means the array record.
    for (JobTarget& target : targets) {
        if (ref.array_tasks.empty() && target.job == ref.job) return std::move(target);
    }
    return Refusing{
        Refusal::invalid_request,
        to_text(ref) + " is several jobs: name one task, as in " + to_string(ref.job) + "_1",
        {}};
}

}  // namespace berth
