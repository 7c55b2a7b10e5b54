#include "berth/engine/preempt/preempt_rules.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "berth/engine/plan/timeline.h"
#include "berth/engine/state/job_queries.h"

namespace berth {

namespace {

// A run that is suspended gets no signal, so it has nothing to do meanwhile.
PreemptTerms terms_for(PreemptMode mode, Duration grace, std::optional<Duration> exempt) {
    return {mode, mode == PreemptMode::suspend ? Duration{} : grace, exempt};
}

}  // namespace

void PreemptRules::rebuild(const ClusterSpec& spec) {
    *this = {};
    spec_ = spec.scheduling.preemption;
    if (!enabled()) return;
    queues_.rebuild(spec);
    for (const PriorityClassSpec& one : spec.priority_classes) {
        if (!one.preempts) never_.push_back(one.name);
        if (one.preempts_newer) newer_.emplace_back(one.name, *one.preempts_newer);
    }
    lowest_tier_ = std::numeric_limits<std::int64_t>::max();
    for (const PartitionSpec& partition : spec.partitions) {
        tiers_.push_back(partition.priority_tier);
        const PreemptMode mode = partition.preempt_mode.value_or(spec_.mode);
        of_partition_.push_back(terms_for(mode, partition.grace_time, spec_.exempt));
        const PreemptMode ends = partition.preempt_mode.value_or(spec_.reclaim);
        reclaimed_.push_back({ends == PreemptMode::suspend ? spec_.reclaim : ends,
                              partition.grace_time, spec_.exempt});
        suspends_ = suspends_ || (mode == PreemptMode::suspend && spec_.by != PreemptBy::qos);
        if (mode != PreemptMode::off)
            lowest_tier_ = std::min(lowest_tier_, partition.priority_tier);
    }
    for (const QosSpec& qos : spec.qos) {
        const PreemptMode mode = qos.preempt_mode.value_or(spec_.mode);
        of_qos_.push_back(terms_for(mode, qos.grace_time,
                                    qos.preempt_exempt ? qos.preempt_exempt : spec_.exempt));
        suspends_ = suspends_ || (mode == PreemptMode::suspend && spec_.by == PreemptBy::qos);
        within_.push_back(qos.preempt_mode ? qos.preempt_within : spec_.within);
        qos_priority_.push_back(qos.priority);
        BitSet preempts(spec.qos.size());
        for (const std::string& name : qos.preempt) {
            const auto other = spec.find_qos(name);
            if (other) preempts.set(other->index());
        }
        preempts_.push_back(std::move(preempts));
    }
    if (spec_.by != PreemptBy::qos) return;
    ranks_.assign(spec.qos.size(), -1);
    std::vector<bool> under_way(spec.qos.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) find_rank(i, under_way);
}

// Edits may describe a circle, which sacctmgr refuses: it counts once.
std::int32_t PreemptRules::find_rank(std::size_t qos, std::vector<bool>& under_way) {
    if (ranks_[qos] >= 0) return ranks_[qos];
    if (under_way[qos]) return 0;
    under_way[qos] = true;
    std::int32_t rank = 0;
    for (std::size_t other = 0; other < ranks_.size(); ++other) {
        if (other == qos || !preempts_[qos].test(other)) continue;
        rank = std::max(rank, find_rank(other, under_way) + 1);
    }
    under_way[qos] = false;
    return ranks_[qos] = rank;
}

bool PreemptRules::never_preempts(const Job& job) const {
    const SharedText& priority_class = job.spec.request->priority_class;
    return !never_.empty() && !priority_class.empty() &&
           std::ranges::find(never_, *priority_class) != never_.end();
}

bool PreemptRules::preempts_newer(const Job& job) const {
    const SharedText& priority_class = job.spec.request->priority_class;
    if (newer_.empty() || priority_class.empty()) return spec_.preempts_newer;
    using Named = std::pair<std::string, bool>;
    const auto known = std::ranges::find(newer_, *priority_class, &Named::first);
    return known == newer_.end() ? spec_.preempts_newer : known->second;
}

bool PreemptRules::may_preempt_any(const Job& job) const {
    if (never_preempts(job)) return false;
    switch (spec_.by) {
        case PreemptBy::none: return false;
        case PreemptBy::partition: return tier(job) > lowest_tier_;
        case PreemptBy::qos: return within_[job.qos.index()] || !preempts_[job.qos.index()].empty();
        case PreemptBy::priority: return true;
    }
    return false;
}

bool PreemptRules::stands_above(const Job& job, const Job& other, std::int64_t lead) const {
    switch (spec_.by) {
        case PreemptBy::none: return false;
        case PreemptBy::partition: return tier(job) > tier(other);
        case PreemptBy::qos:
            if (preempts_[job.qos.index()].test(other.qos.index())) return true;
            return lead > 0 && job.qos == other.qos && within_[job.qos.index()];
        case PreemptBy::priority:
            return lead >= spec_.min_difference || is_above_as_older(job, other, lead);
    }
    return false;
}

PreemptTerms PreemptRules::terms_of(const Job& run) const {
    switch (spec_.by) {
        case PreemptBy::none: break;
        case PreemptBy::partition:
        case PreemptBy::priority: return for_run(run, of_partition_[run.partition.index()]);
        case PreemptBy::qos: return for_run(run, of_qos_[run.qos.index()]);
    }
    return {};
}

PreemptTerms PreemptRules::for_run(const Job& run, PreemptTerms terms) const {
    const auto grace = queues_.grace_of(run);
    if (grace && terms.mode != PreemptMode::suspend) terms.grace = *grace;
    if (terms.mode != PreemptMode::checkpoint) return terms;
    if (!may_save_checkpoint(run)) {
        terms.mode = PreemptMode::requeue;
    } else if (terms.grace <= Duration{}) {
        terms.grace = kCheckpointGrace;
    }
    return terms;
}

PreemptTerms PreemptRules::terms_of_reclaimed(const Job& run) const {
    if (!spec_.reclaims()) return {};
    return for_run(run, reclaimed_[run.partition.index()]);
}

Time PreemptRules::exempt_until(const Job& run, const PreemptTerms& terms, Time now) const {
    if (spec_.exempt_priority && run.start_priority > *spec_.exempt_priority) return kNever;
    if (!terms.exempt) return now;
    return after(now, *terms.exempt - std::min(*terms.exempt, ran_for(run, now)));
}

PreemptRules::Turn PreemptRules::turn_of(const Job& run, std::int64_t priority, std::int64_t lost,
                                         Because because) const {
    const std::int64_t first = spec_.by == PreemptBy::qos        ? qos_priority_[run.qos.index()]
                               : spec_.by == PreemptBy::priority ? priority
                                                                 : tier(run);
    const std::int64_t id = run.id.value();
    if (because == Because::newer) {
        const std::int64_t submitted = -(run.submitted_at - Time{}).count();
        if (spec_.victims == VictimOrder::cheapest_of_all) return {lost, first, submitted, -id};
        return {first, submitted, -id, 0};
    }
    const std::int64_t begun = spec_.youngest_first || because == Because::reclaimed
                                   ? -(*run.started_at - Time{}).count()
                                   : 0;
    switch (spec_.victims) {
        case VictimOrder::smallest: break;
        case VictimOrder::cheapest: return {first, lost, begun, id};
        case VictimOrder::cheapest_of_all: return {lost, first, begun, id};
    }
    return {first, static_cast<std::int64_t>(run.nodes.size()), begun, id};
}

}  // namespace berth
