// How facts become usage: how much each account and user held, and for how long.
#include "berth/engine/state/cluster_state_change.h"
#include "berth/policy/view.h"

namespace berth {
namespace {

void add(UsageVector& sum, const UsageVector& more) {
    for (std::size_t i = 0; i < kUsageKinds; ++i) {
        if (!more[i].is_zero()) sum[i] = sum[i] + more[i];
    }
}

void subtract(UsageVector& sum, const UsageVector& less) {
    for (std::size_t i = 0; i < kUsageKinds; ++i) {
        if (!less[i].is_zero()) sum[i] = sum[i] - less[i];
    }
}

}  // namespace

const std::vector<UsageRecord>& ClusterState::usage() const { return usage_; }

std::optional<std::size_t> ClusterState::usage_of(const Job& job) const {
    const auto found = usage_by_name_.find({job.spec.account, job.owner->user});
    return found == usage_by_name_.end() ? std::nullopt : std::optional(found->second);
}

void ClusterState::touch_usage(std::size_t index) {
    if (touched_usage_.insert(index).second && undo_.recording()) undo_.record(UsageTouched{index});
}

std::size_t ClusterState::usage_index(Time now, const std::string& account,
                                      const std::string& user) {
    const auto [at, is_new] = usage_by_name_.try_emplace({account, user}, usage_.size());
    if (is_new) {
        if (undo_.recording()) undo_.record(UsageBefore{usage_.size(), nullptr});
        usage_.push_back({.account = account, .user = user, .at = now, .used = {}, .rate = {}});
        if (quota_.enforced()) quota_.add_leaf(account, user);
        touch_usage(at->second);
    }
    return at->second;
}

void ClusterState::change_usage(Time now, std::size_t index, const UsageVector& rate, bool more) {
    UsageRecord& record = usage_[index];
    if (undo_.recording()) {
        undo_.record(UsageBefore{index, std::make_shared<const UsageRecord>(record)});
    }
    record.advance(now, spec_.scheduling.usage_decay);
    more ? add(record.rate, rate) : subtract(record.rate, rate);
    touch_usage(index);
}

void ClusterState::start_using(Time now, const Job& job) {
    const std::size_t index = usage_index(now, job.spec.account, job.owner->user);
    change_usage(now, index, usage_rate_of(spec_, job), true);
}

void ClusterState::stop_using(Time now, const Job& job) {
    const auto index = usage_of(job);
    BERTH_ASSERT(index.has_value());
    change_usage(now, *index, usage_rate_of(spec_, job), false);
}

// GPUs (CPUs if it has none) times the time that the run has lasted.
Duration ClusterState::service_of(const Job& job, Time now) const {
    if (job.state != JobState::running) return {};
    return ran_for(job, now) * gpus_of(spec_.dimensions, held_by(job));
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
        undo_.record(UsagesBefore{std::make_shared<const std::vector<UsageRecord>>(usage_)});
    }
    for (std::size_t i = 0; i < usage_.size(); ++i) {
        usage_[i].advance(now, spec_.scheduling.usage_decay);
        touch_usage(i);
    }
}

void ClusterState::recompute_rates() {
    for (UsageRecord& record : usage_) record.rate = {};
    for (const JobId id : index_.holding()) {
        const Job& job = jobs_.at(id);
        if (is_using(job)) add(usage_[*usage_of(job)].rate, usage_rate_of(spec_, job));
    }
}

void ClusterState::take(Time now, const UsageSet& fact) {
    for (const UsageSet::Entry& entry : fact.entries) {
        const std::size_t index = usage_index(now, entry.account, entry.user);
        change_usage(now, index, {}, true);
        usage_[index].used[kBillingUsage] = {entry.billing, 0};
    }
}

void ClusterState::check_usage() const {
    BERTH_ASSERT(usage_by_name_.size() == usage_.size());
    std::vector<UsageVector> rates(usage_.size());
    for (const JobId id : index_.holding()) {
        const Job& job = jobs_.at(id);
        const auto index = usage_of(job);
        BERTH_ASSERT(index.has_value());
        if (is_using(job)) add(rates[*index], usage_rate_of(spec_, job));
    }
    for (std::size_t i = 0; i < usage_.size(); ++i) {
        BERTH_ASSERT(usage_by_name_.at({usage_[i].account, usage_[i].user}) == i);
        BERTH_ASSERT(usage_[i].rate == rates[i]);
        for (const UsageAmount& used : usage_[i].used) BERTH_ASSERT(used.whole >= 0);
    }
}

}  // namespace berth
