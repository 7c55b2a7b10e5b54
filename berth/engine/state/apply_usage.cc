// How facts become usage: how much each account and user held, and for how long.
#include "berth/engine/state/cluster_state_change.h"
#include "berth/policy/view.h"

namespace berth {
// Jobs that limits count know it; of others the names are looked up.
std::optional<std::size_t> ClusterState::usage_of(const Job& job) const {
    if (const QuotaTree::Index leaf = known_leaf(job.id); leaf != QuotaTree::kNone) return leaf;
    return usage_.of(job);
}

std::size_t ClusterState::usage_index(Time now, const std::string& account,
                                      const std::string& user) {
    if (const auto known = usage_.find(account, user)) return *known;
    const std::size_t index = usage_.records().size();
    if (undo_.recording()) undo_.record(UsageBefore{index, nullptr});
    usage_.add({.account = account, .user = user, .at = now, .used = {}, .rate = {}});
    if (quota_.enforced()) quota_.add_leaf(account, user);
    touches_.add_usage(index, undo_);
    return index;
}

// Call it before the record changes.
void ClusterState::remember_usage(std::size_t index) {
    if (undo_.recording()) {
        const UsageRecord& record = usage_.records()[index];
        undo_.record(UsageBefore{index, std::make_shared<const UsageRecord>(record)});
    }
    touches_.add_usage(index, undo_);
}

void ClusterState::start_using(Time now, const Job& job) {
    const std::size_t index = usage_index(now, job.spec.account, job.owner->user);
    remember_usage(index);
    usage_.raise_rate(index, now, usage_rate_of(spec(), job), spec().scheduling.usage_decay);
}

void ClusterState::stop_using(Time now, const Job& job) {
    const auto index = usage_.of(job);
    BERTH_ASSERT(index.has_value());
    remember_usage(*index);
    usage_.lower_rate(*index, now, usage_rate_of(spec(), job), spec().scheduling.usage_decay);
}

// GPUs (CPUs if it has none) times the time that the run has lasted.
Duration ClusterState::service_of(const Job& job, Time now) const {
    if (job.state != JobState::running) return {};
    return ran_for(job, now) * gpus_of(spec().dimensions, held_by(job));
}

// The length of a run that ended by itself or at its limit predicts that of the next job of its
// name.
void ClusterState::note_run(Time now, const Job& job, JobState outcome) {
    const bool tells = outcome == JobState::completed || outcome == JobState::failed ||
                       outcome == JobState::timeout || outcome == JobState::out_of_memory;
    if (!tells || now < *job.started_at) return;
    const std::size_t slot = RunHistory::slot_of(job.owner->user, job.spec.name);
    if (undo_.recording()) {
        undo_.record(
            RunsBefore{slot, std::make_shared<const RunSamples>(run_history_.slots()[slot])});
    }
    run_history_.add(job.owner->user, job.spec.name, {now, ran_for(job, now)});
}

// Settles usage under the weights and the half-life in force until now.
void ClusterState::settle_usage(Time now) {
    if (undo_.recording()) {
        undo_.record(
            UsagesBefore{std::make_shared<const std::vector<UsageRecord>>(usage_.records())});
    }
    usage_.settle(now, spec().scheduling.usage_decay);
    for (std::size_t i = 0; i < usage_.records().size(); ++i) touches_.add_usage(i, undo_);
}

std::vector<UsageVector> ClusterState::rates_from_scratch() const {
    std::vector<UsageVector> rates(usage_.records().size());
    for (const JobId id : index_.holding()) {
        const Job& job = jobs_.at(id);
        const auto index = usage_.of(job);
        BERTH_ASSERT(index.has_value());
        if (is_using(job)) add_to(rates[*index], usage_rate_of(spec(), job));
    }
    return rates;
}

void ClusterState::take(Time now, const UsageSet& fact) {
    for (const UsageSet::Entry& entry : fact.entries) {
        const std::size_t index = usage_index(now, entry.account, entry.user);
        remember_usage(index);
        usage_.set_billing(index, now, entry.billing, spec().scheduling.usage_decay);
    }
}

}  // namespace berth
