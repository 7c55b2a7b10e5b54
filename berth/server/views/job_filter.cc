#include "berth/server/views/job_filter.h"

#include <algorithm>

#include "berth/api/job_states.h"
#include "berth/api/query.h"
#include "berth/base/text.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/account_name.h"
#include "berth/server/views/names.h"

namespace berth {
namespace {

std::set<std::string, std::less<>> set_of(const std::vector<std::string>& list) {
    return {list.begin(), list.end()};
}

bool is_among(const std::set<std::string, std::less<>>& wanted, std::string_view one) {
    return wanted.empty() || wanted.contains(one);
}

}  // namespace

Result<JobFilter> JobFilter::make(const Snapshot& snapshot, const api::JobQuery& query,
                                  bool sees_hidden) {
    JobFilter filter;
    if (!query.jobs.empty()) {
        filter.ids_.emplace();
        for (const JobId id : query.jobs) filter.ids_->merge(records_of(snapshot, {id, {}}));
    }
    filter.users_ = set_of(query.users);
    snapshot.owners.for_each([&](std::uint32_t uid, const OwnedJobs& owned) {
        const bool named = std::ranges::any_of(
            owned.names, [&](const std::string& name) { return filter.users_.contains(name); });
        if (named || filter.users_.contains(std::to_string(uid)))
            filter.owned_.push_back(&owned.jobs);
    });
    for (const std::string& name : query.accounts) {
        filter.accounts_.insert(account_name(*snapshot.spec, name));
    }
    filter.partitions_ = set_of(query.partitions);
    if (!sees_hidden && query.partitions.empty() && query.jobs.empty()) {
        const auto& partitions = snapshot.spec->partitions;
        for (std::size_t i = 0; i < partitions.size(); ++i) {
            if (partitions[i].hidden) filter.hidden_.insert(PartitionId::from_index(i));
        }
    }
    if (filter.partitions_.contains(api::kAllPartitions)) filter.partitions_.clear();
    filter.names_ = set_of(query.names);
    filter.by_state_ = !query.states.empty();
    for (const std::string& name : query.states) {
        if (api::has_no_jobs(name)) continue;
        if (iequals(name, "REQUEUED")) continue;  // It waits: PENDING.
        if (iequals(name, "SUSPENDED")) {
            filter.suspended_ = true;
            continue;
        }
        if (iequals(name, "CONFIGURING")) {
            filter.configuring_ = true;
            continue;
        }
        if (iequals(name, "SPECIAL_EXIT")) {
            filter.special_exit_ = true;
            continue;
        }
        const std::optional<JobState> state = job_state_of(name);
        if (!state)
            return Error{ErrorCode::invalid_argument, "query: there is no job state " + name};
        filter.states_.insert(*state);
    }
    filter.by_node_ = !query.nodes.empty();
    for (const std::string& name : query.nodes) {
        if (const auto node = snapshot.spec->find_node(name)) filter.nodes_.insert(*node);
    }
    return filter;
}

JobFilter JobFilter::only(std::set<JobId> ids) {
    JobFilter filter;
    filter.ids_ = std::move(ids);
    return filter;
}

void JobFilter::keep_to(const Snapshot& snapshot, std::uint32_t uid) {
    uid_ = uid;
    owned_.clear();
    if (const OwnedJobs* const owned = snapshot.owners.find(uid)) owned_.push_back(&owned->jobs);
}

const SnapshotJob* JobFilter::first_owned(const Snapshot& snapshot, std::uint32_t id) const {
    std::optional<std::uint32_t> first;
    for (const IdTable<JobId>* const jobs : owned_) {
        const auto found = jobs->lower_bound(id);
        if (found && (!first || found->first < *first)) first = found->first;
    }
    return first ? snapshot.jobs.find(*first) : nullptr;
}

const SnapshotJob* JobFilter::candidate(const Snapshot& snapshot, std::uint32_t id) const {
    if (!ids_ && (uid_ || !users_.empty())) return first_owned(snapshot, id);
    if (!ids_) {
        const auto found = snapshot.jobs.lower_bound(id);
        return found ? found->second : nullptr;
    }
    for (auto at = ids_->lower_bound(JobId(id)); at != ids_->end(); ++at) {
        if (const SnapshotJob* const job = snapshot.jobs.find(at->value())) return job;
    }
    return nullptr;
}

const SnapshotJob* JobFilter::first_from(const Snapshot& snapshot, std::uint32_t id) const {
    for (;;) {
        const SnapshotJob* const job = candidate(snapshot, id);
        if (job == nullptr || wants(snapshot, *job->job)) return job;
        if (job->job->id.value() == UINT32_MAX) return nullptr;
        id = job->job->id.value() + 1;
    }
}

bool JobFilter::takes(const ClusterSpec& spec, PartitionId partition) const {
    return !hidden_.contains(partition) && is_among(partitions_, spec.partition(partition).name);
}

// One that waits is in all partitions that it names.
bool JobFilter::wants_partition(const ClusterSpec& spec, const Job& job) const {
    const bool waits = job.state == JobState::pending && names_several_partitions(job.spec);
    return takes(spec, job.partition) ||
           (waits && std::ranges::any_of(partitions_of(spec, job),
                                         [&](PartitionId one) { return takes(spec, one); }));
}

bool JobFilter::wants(const Snapshot& snapshot, const Job& job) const {
    if (uid_ && job.owner->uid != *uid_) return false;
    if (!users_.empty() && !users_.contains(job.owner->user) &&
        !users_.contains(std::to_string(job.owner->uid))) {
        return false;
    }
    if (!is_among(accounts_, job.spec.account) || !is_among(names_, job.spec.name)) return false;
    if (!wants_partition(*snapshot.spec, job)) return false;
    const bool is_named = job.is_suspended() ? suspended_ : states_.contains(job.state);
    const bool is_special = job.state == JobState::pending && job.hold == Hold::special_exit;
    if (by_state_ && !is_named && !(configuring_ && job.is_configuring()) &&
        !(special_exit_ && is_special)) {
        return false;
    }
    return !by_node_ ||
           std::ranges::any_of(job.nodes, [&](NodeId node) { return nodes_.contains(node); });
}

std::set<JobId> records_of(const Snapshot& snapshot, const api::JobName& name) {
    std::set<JobId> records;
    const Job* const record = snapshot.find_job(name.job);
    if (record != nullptr && record->het && record->het->first == name.job) {
        for (std::uint32_t i = 0; i < record->het->size; ++i) {
            const bool wanted = name.array_tasks.empty() && name.het_offset.value_or(i) == i;
            const JobId id = record->het->id(i);
            if (wanted && snapshot.find_job(id) != nullptr) records.insert(id);
        }
        return records;
    }
    if (name.het_offset) return records;
    const IdTable<JobId>* const tasks = snapshot.arrays.find(name.job.value());
    if (name.array_tasks.empty()) {
        if (record != nullptr) records.insert(name.job);
        if (tasks != nullptr) tasks->for_each([&](std::uint32_t, JobId id) { records.insert(id); });
        return records;
    }
    for (const std::uint32_t task : name.array_tasks) {
        const JobId* const started = tasks == nullptr ? nullptr : tasks->find(task);
        if (started != nullptr) records.insert(*started);
        // The tasks that have not started are in the array's record.
        const bool waits = record != nullptr && record->spec.array &&
                           std::ranges::binary_search(record->spec.array->tasks, task);
        if (waits) records.insert(name.job);
    }
    return records;
}

}  // namespace berth
