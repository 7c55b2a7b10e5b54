#include "berth/engine/derived/order.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "berth/base/codec.h"
#include "berth/engine/limits/flavor_choices.h"
#include "berth/engine/limits/reservation_access.h"
#include "berth/engine/placement/affinity.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/state/job_queries.h"

namespace berth {

// ---- Kinds and shapes.

namespace {

// If the job does not say; Slurm's default of max_switch_wait.
constexpr Duration kSwitchesWait = std::chrono::seconds(300);

void relax_switches(Kind& kind, const Job& job, std::optional<Duration> most) {
    Duration wait = job.spec.request->nearness->switches_wait.value_or(kSwitchesWait);
    if (most) wait = std::min(wait, *most);
    if (wait == Duration::max()) return;
    kind.relaxed = kind.demand;
    kind.relaxed->near.switches = 0;
    kind.relaxed_from = after(job.submitted_at, wait);
}

}  // namespace

std::shared_ptr<Kind> PendingJobs::kind_of(const ClusterState& state, const Job& job) {
    JobRequest request = job.spec.request;
    request.time_limit.reset();  // The demand does not depend on it.
    Writer key;
    key.write(request);
    key.write(job.partition);
    if (!job.spec.flavor.none()) key.write(job.spec.flavor);
    const TopologyConstraint& near = job.spec.request->nearness;
    if (near.switches) key.write(job.submitted_at);  // Each such job waits by itself.
    if (!near.affinities.empty()) key.write(job.owner->uid);
    if (job.het) key.write(job.id);
    const Reservation* reservation = state.reservations().find(request.reservation);
    if (reservation != nullptr) {
        key.write(reservation->amounts);
        key.write(reservation->flex);
    }
    std::weak_ptr<Kind>& known = kinds_[key.take()];
    std::shared_ptr<Kind> kind = known.lock();
    if (kind == nullptr) {
        kind = std::make_shared<Kind>(Kind{.number = ++last_kind_});
        kind->demand = resolved_demand(state, job);
        if (near.switches)
            relax_switches(*kind, job, state.spec().scheduling.planning.switches_wait_max);
        kind->depends_on_running = depends_on_running(job);
        kind->has_affinities = !near.affinities.empty();
        kind->of_components = job.het.has_value();
        const Demand& demand = kind->demand;
        any_without_devices_ =
            any_without_devices_ || (demand.gres_per_node.empty() && demand.gres_per_task.empty() &&
                                     demand.gres_total.empty());
        any_depends_ = any_depends_ || kind->depends_on_running;
        known = kind;
    }
    if (kinds_.size() > sweep_at_) {
        std::erase_if(kinds_, [](const auto& entry) { return entry.second.expired(); });
        sweep_at_ = 64 + 2 * kinds_.size();
    }
    return kind;
}

SharedShape PendingJobs::shape_of(const ClusterState& state, const Job& job) {
    return {kind_of(state, job), longest_limit(state, job)};
}

// ---- The jobs.

void PendingJobs::refresh(const ClusterState& state, JobId id) {
    const Job* job = state.find_job(id);
    if (job == nullptr || job->state != JobState::pending) {
        PendingJob* known = jobs_.find(id);
        if (known == nullptr) return;
        if (known->ordered) order_.erase(*known);
        ahead.set(*known, BlockingReason::Ahead::no);
        others.erase(id);
        jobs_.erase(id);
        return;
    }
    PendingJob& pending = jobs_[id];
    if (pending.ordered && pending.partition != job->partition)
        order_.note_moved(pending, job->partition);
    pending.id = id;
    pending.partition = job->partition;
    pending.shape = shape_of(state, *job);
    find_others(state, *job, pending);
    const std::optional<std::size_t> usage = state.usage_of(*job);
    pending.usage_index = usage ? static_cast<std::uint32_t>(*usage) : PendingJob::kNoUsage;
    pending.looked = pending.looked_ahead = pending.limit_watched = false;
    unsettle(pending);
}

void PendingJobs::find_others(const ClusterState& state, const Job& job, PendingJob& pending) {
    bool stands_in_one = false;
    std::vector<OtherPartition> found = others_of(state, job, stands_in_one);
    if (!found.empty()) {
        pending.sort = stands_in_one ? PendingJob::Sort::of_several : PendingJob::Sort::misplaced;
        others[job.id] = std::move(found);
    } else if (pending.names_several()) {
        others.erase(job.id);
        pending.sort = PendingJob::Sort::plain;
    }
}

std::vector<OtherPartition> PendingJobs::others_of(const ClusterState& state, const Job& job,
                                                   bool& stands_in_one) {
    std::vector<OtherPartition> found;
    const bool tells_apart = state.quota().queues().tells_apart() || !job.spec.flavor.none();
    if (!tells_apart && !names_several_partitions(job.spec)) return found;
    const WaitingPlace own{job.partition, job.spec.flavor};
    for (const WaitingPlace& one : waiting_places_of(state, job)) {
        if (one == own) {
            stands_in_one = true;
            continue;
        }
        const Job there = moved_to(state.spec(), job, one.partition, one.flavor);
        found.push_back(
            {.partition = one.partition, .flavor = one.flavor, .shape = shape_of(state, there)});
    }
    return found;
}

void PendingJobs::unsettle(PendingJob& job) {
    if (job.unsettled) return;
    job.unsettled = true;
    unsettled_.push_back(job.id);
}

void AheadCounts::set(PendingJob& job, BlockingReason::Ahead is) {
    const BlockingReason::Ahead was = std::exchange(job.blocking.ahead, is);
    if (was != BlockingReason::Ahead::no) --counts_[static_cast<std::size_t>(was)];
    if (is != BlockingReason::Ahead::no) ++counts_[static_cast<std::size_t>(is)];
}

void PendingJobs::rebuild(const ClusterState& state) {
    jobs_.clear();
    order_.clear();
    unsettled_.clear();
    watch_list_.clear();
    limit_watch_.clear();
    ahead.clear();
    kinds_.clear();
    others.clear();
    unlooked_.clear();
    any_takes_less_ = feasibility_changed_ = false;
    for (const JobId id : state.index().pending()) refresh(state, id);
}

void PendingJobs::drop_looked() {
    std::erase_if(unlooked_, [&](JobId id) {
        const PendingJob* job = find(id);
        return job == nullptr || !job->ordered || job->looked;
    });
    // All jobs of a queue may have been in it.
    if (unlooked_.size() < unlooked_.capacity() / 4) unlooked_.shrink_to_fit();
}

namespace {

bool takes_otherwise(const Demand& one, const Demand& other) {
    return one.exclusive != other.exclusive || one.memory.rule != other.memory.rule ||
           one.memory != other.memory || one.near.turns != other.near.turns;
}

}  // namespace

// Whether the kind's demand is another than before. `outdated`: what is known, by its number.
bool PendingJobs::is_outdated(const ClusterState& state, const Job& job, Kind& kind,
                              std::map<std::uint64_t, bool>& outdated) {
    kind.asked.reset();  // The partition's weights may be others.
    const auto [at, is_new] = outdated.try_emplace(kind.number);
    if (is_new) at->second = resolved_demand(state, job) != kind.demand;
    return at->second;
}

std::vector<JobId> PendingJobs::renew_demands(const ClusterState& state,
                                              std::span<const JobId> jobs) {
    std::map<std::uint64_t, bool> outdated;  // By the number of the kind.
    std::vector<JobId> renewed;
    for (const JobId id : jobs) {
        const PendingJob& pending = *find(id);
        const Job& job = *state.find_job(id);
        bool is_renewed = is_outdated(state, job, *pending.shape->kind, outdated);
        if (pending.names_several()) {
            for (const OtherPartition& one : others.at(id)) {
                const Job moved = moved_to(state.spec(), job, one.partition, one.flavor);
                if (is_outdated(state, moved, *one.shape->kind, outdated)) is_renewed = true;
            }
        }
        if (is_renewed) renewed.push_back(id);
    }
    if (renewed.empty()) return renewed;
    std::erase_if(kinds_, [&](const auto& entry) {
        const auto kind = entry.second.lock();
        const auto known = outdated.find(kind == nullptr ? 0 : kind->number);
        return known != outdated.end() && known->second;
    });
    for (const JobId id : renewed) {
        PendingJob& job = *find(id);
        const SharedShape before = job.shape;
        refresh(state, id);
        // The amounts of its planned start, if any, were made for what it took before.
        job.moved_in_order =
            job.moved_in_order || takes_otherwise(before->demand(), job.shape->demand());
    }
    return renewed;
}

void PendingJobs::forget_feasibility() {
    feasibility_changed_ = true;
    each_kind([](Kind& kind) {
        kind.feasibility = kind.together = Kind::Feasibility::unknown;
        kind.missing.clear();
    });
}

void PendingJobs::forget_limit_requests() {
    each_kind([](Kind& kind) { kind.asked.reset(); });
}

// ---- The order.

OrderKey key_of(const ClusterState& state, const PendingJob& pending, std::int64_t priority,
                std::int32_t preempt_rank) {
    constexpr std::int64_t kTiers = 1 << 17;  // Slurm's are at most 65 533.
    constexpr std::int32_t kRankMost = (1 << 13) - 1;
    const Job& job = *state.find_job(pending.id);
    const std::int64_t tier = std::clamp<std::int64_t>(
        state.spec().partition(job.partition).priority_tier, -kTiers / 2, kTiers / 2 - 1);
    const std::int64_t place = std::min(preempt_rank, kRankMost) * kTiers + tier;
    return {.tier = job.expedited ? std::numeric_limits<std::int32_t>::min()
                                  : -static_cast<std::int32_t>(place),
            .id = job.id,
            .rank = pending.key.rank,
            .priority = -priority,
            .submitted_at = job.submitted_at};
}

std::int64_t priority_of(const ClusterState& state, const Job& job, const Policy& policy,
                         const View& view) {
    const std::int64_t priority = policy.priority(job, view);
    const bool may_only_rise = state.spec().scheduling.priorities_only_rise;
    if (!may_only_rise || priority == 0 || job.spec.priority) return priority;
    return std::max(priority, current_priority(state, job.id));
}

std::size_t JobOrder::behind(const OrderKey& key) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(entries_, key, {}, &Entry::key) -
                                    entries_.begin());
}

bool JobOrder::is_first(const PendingJob& job) {
    while (first_ < entries_.size() && entries_[first_].job == nullptr) ++first_;
    return first_ < entries_.size() && entries_[first_].job == &job;
}

void JobOrder::note_entered(PendingJob& job) {
    job.ordered = true;
    const std::size_t partition = job.partition.index();
    if (of_partition_.size() <= partition) of_partition_.resize(partition + 1);
    if (of_partition_[partition]++ == 0) ++partitions_;
}

void JobOrder::insert(std::vector<PendingJob*> jobs) {
    first_ = 0;
    if (jobs.empty()) return;
    // Inserts one by one, unless there are many jobs or many gaps: then a merge closes the gaps as
    // well.
    if (jobs.size() <= 16 && entries_.size() <= 2 * size_ + 64) {
        for (PendingJob* job : jobs) {
            const auto at = entries_.begin() + static_cast<std::ptrdiff_t>(behind(job->key));
            entries_.insert(at, {job->key, job});
            note_entered(*job);
            ++size_;
        }
        return;
    }
    const auto key = [](const PendingJob* job) -> const OrderKey& { return job->key; };
    if (!std::ranges::is_sorted(jobs, {}, key)) std::ranges::sort(jobs, {}, key);
    std::vector<Entry> merged;
    merged.reserve(size_ + jobs.size());
    auto next = jobs.begin();
    const auto take_next = [&] {
        merged.push_back({(*next)->key, *next});
        note_entered(**next);
        ++next;
    };
    for (const Entry& entry : entries_) {
        if (entry.job == nullptr) continue;
        while (next != jobs.end() && (*next)->key < entry.key) take_next();
        merged.push_back(entry);
    }
    while (next != jobs.end()) take_next();
    entries_ = std::move(merged);
    size_ = entries_.size();
}

void JobOrder::erase(PendingJob& job) {
    auto at = std::ranges::lower_bound(entries_, job.key, {}, &Entry::key);
    while (at != entries_.end() && at->job == nullptr) ++at;  // It may have left before.
    BERTH_ASSERT(at != entries_.end() && at->job == &job);
    at->job = nullptr;
    job.ordered = false;
    --size_;
    if (--of_partition_[job.partition.index()] == 0) --partitions_;
}

void JobOrder::note_moved(PendingJob& job, PartitionId to) {
    if (--of_partition_[job.partition.index()] == 0) --partitions_;
    if (of_partition_.size() <= to.index()) of_partition_.resize(to.index() + 1);
    if (of_partition_[to.index()]++ == 0) ++partitions_;
}

void JobOrder::resort() {
    first_ = 0;
    std::erase_if(entries_, [](const Entry& entry) { return entry.job == nullptr; });
    for (Entry& entry : entries_) entry.key = entry.job->key;
    if (!std::ranges::is_sorted(entries_, {}, &Entry::key)) {
        std::ranges::sort(entries_, {}, &Entry::key);
    }
}

namespace {

using Run = std::vector<JobOrder::Entry>;

Run merged(const Run& one, const Run& other) {
    Run both;
    both.reserve(one.size() + other.size());
    std::ranges::merge(one, other, std::back_inserter(both), {}, &JobOrder::Entry::key,
                       &JobOrder::Entry::key);
    return both;
}

}  // namespace

void JobOrder::resort(std::vector<Run> runs, const JobSet& of) {
    first_ = 0;
    for (Run& run : runs) {
        std::erase_if(run, [&](const Entry& entry) { return !of.contains(entry.key.id); });
    }
    std::erase_if(entries_, [&](const Entry& entry) {
        return entry.job == nullptr || of.contains(entry.key.id);
    });
    runs.push_back(std::move(entries_));
    while (runs.size() > 1) {
        std::vector<Run> fewer;
        for (std::size_t i = 0; i + 1 < runs.size(); i += 2)
            fewer.push_back(merged(runs[i], runs[i + 1]));
        if (runs.size() % 2 == 1) fewer.push_back(std::move(runs.back()));
        runs = std::move(fewer);
    }
    entries_ = std::move(runs.front());
    BERTH_ASSERT(entries_.size() == size_);
}

void JobOrder::clear() {
    entries_.clear();
    of_partition_.clear();
    size_ = first_ = partitions_ = 0;
}

}  // namespace berth
