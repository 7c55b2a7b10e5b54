#include "berth/engine/explain/will_run.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/limit_times.h"
#include "berth/engine/cycle/plan_quota.h"
#include "berth/engine/explain/start_search.h"
#include "berth/engine/limits/flavor_choices.h"
#include "berth/engine/placement/together.h"
#include "berth/engine/plan/trial.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// What becomes of a blocking reason in an estimate.
enum class Verdict : std::uint8_t { waits, moves_start, never };

Verdict verdict_on(const BlockingReason& blocking) {
    switch (blocking.reason) {
        case PendingReason::deadline:
        case PendingReason::dependency_never_satisfied:
        case PendingReason::partition_node_limit:
        case PendingReason::partition_time_limit:
        case PendingReason::max_mem_per_limit:
        case PendingReason::qos_max_wall:
        case PendingReason::bad_constraints:
        case PendingReason::req_node_not_avail: return Verdict::never;
        default: return blocking.more->until ? Verdict::moves_start : Verdict::waits;
    }
}

// REQUIRES: the jobs are in the state, and not in the derived state.
class Estimating {
public:
    Estimating(const ClusterState& state, const DerivedState& derived, Trial& trial, Time now,
               const std::vector<Job>& jobs)
        : state_(state),
          derived_(derived),
          trial_(trial),
          now_(now),
          from_(now),
          view_(state, derived, now) {
        for (const Job& job : jobs) {
            scratch_.refresh(state, job.id);
            ids_.push_back(job.id);
        }
    }

    StartEstimate run() {
        for (const JobId id : ids_) {
            if (!check(pending(id))) return std::move(result_);
        }
        if (ids_.size() > 1 && !may_fit_together()) return std::move(result_);
        stand_in_order(pending(ids_.front()));
        const auto found = ids_.size() > 1 ? find_together() : find_one(pending(ids_.front()));
        if (found.empty()) {
            result_.reason = PendingReason::resources;
            return std::move(result_);
        }
        result_.start = found.front().start;
        for (std::size_t i = 0; i < found.size(); ++i) add_component(ids_[i], found[i]);
        return std::move(result_);
    }

private:
    using FoundAll = std::vector<Found>;  // By offset; empty: there is none.

    PendingJob& pending(JobId id) { return *scratch_.find(id); }
    const Job& record(JobId id) const { return *state_.find_job(id); }
    PlacementPreference preference_of(const PendingJob& job) const {
        const PartitionSpec& partition = state_.spec().partition(job.partition);
        return {derived_.policy.placement(partition),
                view_,
                job.id,
                &derived_.domains,
                &state_,
                &derived_.topologies};
    }

    bool refuse(PendingReason reason) {
        result_.reason = reason;
        return false;
    }

    // False: the job cannot run as it is.
    bool check(PendingJob& job) {
        Kind& kind = *job.shape->kind;
        const Demand& demand = kind.relaxed ? *kind.relaxed : kind.demand;
        const PlacementPreference preference = preference_of(job);
        kind.requirements = requirements_of(kind.demand, state_.spec(), trial_.book());
        kind.feasibility = could_run_when_free(demand, state_, preference) ? Kind::Feasibility::fits
                           : could_ever_run(demand, preference) ? Kind::Feasibility::not_now
                                                                : Kind::Feasibility::never;
        for (const BlockingReason& blocking :
             blocking_reasons_of(state_, record(job.id), *job.shape, derived_.budgets(), 0, now_)) {
            switch (verdict_on(blocking)) {
                case Verdict::never: return refuse(blocking.reason);
                case Verdict::moves_start: from_ = std::max(from_, *blocking.more->until); break;
                case Verdict::waits: note_wait(job, blocking); break;
            }
        }
        return true;
    }
    // Of what others use up of limits, the search finds the end.
    void note_wait(const PendingJob& job, const BlockingReason& blocking) {
        const PendingReason reason = blocking.reason;
        Kind& kind = *job.shape->kind;
        const Job& one = record(job.id);
        if (blocking.by_limit) {
            if (may_start_alone(state_, one, kind.demand, limit_request_of(state_, one, kind)))
                return;
            passes_limits_ = true;
        }
        if (std::ranges::find(result_.waits_for, reason) == result_.waits_for.end())
            result_.waits_for.push_back(reason);
    }
    bool may_fit_together() {
        std::vector<const Demand*> demands;
        demands.reserve(ids_.size());
        for (const JobId id : ids_) demands.push_back(&pending(id).shape->demand());
        const auto takes_work = [&](NodeId node) {
            return state_.nodes().condition(node).schedulable();
        };
        if (berth::may_fit_together(demands, state_.spec(), takes_work)) return true;
        return refuse(PendingReason::req_node_not_avail);
    }

    // Finds whether the job is among those that are planned. Without backfill, it starts after the
    // jobs before it in its partition, and those behind it give way.
    void stand_in_order(PendingJob& job) {
        const bool is_strict = !state_.spec().scheduling.backfill;
        const Job& one = record(job.id);
        const bool by_right =
            quota_standing_of(state_, one, *job.shape->kind) == QuotaStanding::by_right;
        job.key = key_of(state_, job, priority_of(state_, one, derived_.policy, view_),
                         derived_.preemptions.rules.rank(one.qos, by_right));
        PlanQuota quota(state_, now_);
        for (const JobOrder::Entry& entry : derived_.pending.order().entries()) {
            if (entry.job == nullptr) continue;
            const bool is_before = entry.key < job.key;
            if (is_before) quota.count(*entry.job);
            if (!is_before && !is_strict) break;
            if (!is_strict || entry.job->partition != job.partition) continue;
            const PlannedReservation* planned = derived_.book.planned_start(entry.job->id);
            if (!is_before) {
                if (planned != nullptr) trial_.lift(entry.job->id);
                continue;
            }
            // When a job that is already late will start is unknown.
            const bool is_known = planned != nullptr && planned->start > now_;
            from_ = std::max(from_, is_known ? planned->start : kNever);
        }
        result_.planned = quota.admits(job);
    }

    // The latest start that the job may have.
    Time latest_of(const PendingJob& job) const {
        Time horizon = from_ == kNever ? now_ : after(from_, state_.spec().scheduling.plan_window);
        if (const auto end = wait_end(record(job.id)))
            horizon = std::min(horizon, *end - Duration(1));
        const std::optional<Time>& deadline = record(job.id).spec.deadline;
        if (!deadline) return horizon;
        if (job.shape->length >= *deadline - Time{}) return now_ - Duration(1);
        return std::min(horizon, *deadline - job.shape->length);
    }

    FoundAll find_one(const PendingJob& job) {
        const Kind& kind = *job.shape->kind;
        const Time latest = kind.depends_on_running ? now_ : latest_of(job);
        if (auto found = find_with_less(job)) return {*std::move(found)};
        auto found = find(job, from_, latest);
        return found ? FoundAll{*std::move(found)} : FoundAll{};
    }

    StartSearch::Wanted wanted_of(const PendingJob& job, const Demand& demand,
                                  Duration length) const {
        const bool wishes = job.shape->kind->has_affinities;
        return {demand, length, &job.shape->kind->requirements, wishes ? &record(job.id) : nullptr};
    }

    // When limits have room for it. If they never have, the start that it would have without them.
    std::optional<Found> find(const PendingJob& job, Time from, Time latest) const {
        return find(job, job.shape->length, from, latest);
    }

    std::optional<Found> find(const PendingJob& job, Duration length, Time from,
                              Time latest) const {
        if (!state_.quota().enforced() || passes_limits_)
            return find_open(job, length, from, latest);
        const LimitBook& limits = derived_.book.limits();
        LimitTimes times =
            limit_times_of(state_, limits, job, limit_use_of(state_, limits, job), now_);
        return times.search(from, latest,
                            [&](Time at, Time last) { return find_open(job, length, at, last); });
    }

    std::optional<Found> find_open(const PendingJob& job, Time from, Time latest) const {
        return find_open(job, job.shape->length, from, latest);
    }

    // With --switches, within that many switches until the job has waited long enough.
    std::optional<Found> find_open(const PendingJob& job, Duration length, Time from,
                                   Time latest) const {
        const PlacementPreference preference = preference_of(job);
        const StartSearch search(state_, derived_, now_, preference);
        const Kind& kind = *job.shape->kind;
        const auto near = wanted_of(job, kind.demand, length);
        if (!kind.relaxed) return search.earliest(near, from, latest);
        auto found = search.earliest(near, from, std::min(latest, kind.relaxed_from - Duration(1)));
        if (found) return found;
        return search.earliest(wanted_of(job, *kind.relaxed, length),
                               std::max(from, kind.relaxed_from), latest);
    }

    // --time-min, or a reservation that bounds the job: an immediate start with less time, if the
    // whole time does not fit.
    std::optional<Found> find_with_less(const PendingJob& job) const {
        if (from_ > now_) return std::nullopt;
        const std::optional<Duration> least = least_time_now(state_, record(job.id), now_);
        if (!least || *least >= job.shape->length) return std::nullopt;
        if (record(job.id).spec.time_min) {
            if (auto found = find_open(job, now_, now_)) return found;
        }
        return find_open(job, *least, now_, now_);
    }

    // ---- Heterogeneous jobs: the earliest time at which each component fits beside the others.

    FoundAll find_together() {
        if (FoundAll found = find_within_reservations(); !found.empty()) return found;
        Time from = from_;
        const Time latest = latest_of(pending(ids_.front()));
        for (int i = 0; i < kTogetherTriesMost && from <= latest; ++i) {
            FoundAll found;
            const Trial::Mark mark = trial_.mark();
            const std::optional<Time> later = put_together(from, latest, found);
            trial_.back_to(mark);
            if (found.size() == ids_.size()) return found;
            if (!later) break;
            from = *later;
        }
        return {};
    }

    // A start now, if a reservation has less time left than a component may take.
    FoundAll find_within_reservations() {
        const auto length_now = [&](const PendingJob& job) {
            return component_length_now(state_, job, now_);
        };
        const auto gets_less = [&](JobId id) {
            return length_now(pending(id)) < pending(id).shape->length;
        };
        if (from_ > now_ || std::ranges::none_of(ids_, gets_less)) return {};
        FoundAll found;
        const Trial::Mark mark = trial_.mark();
        for (const JobId id : ids_) {
            const PendingJob& job = pending(id);
            auto place = find(job, length_now(job), now_, now_);
            if (!place) break;
            trial_.put(id, planned_of(job, length_now(job), *place));
            found.push_back(*std::move(place));
        }
        trial_.back_to(mark);
        return found.size() == ids_.size() ? found : FoundAll{};
    }

    // Returns a later time to try; nullopt: all components fit, or one never does.
    std::optional<Time> put_together(Time from, Time latest, FoundAll& found) {
        for (const JobId id : ids_) {
            auto place = find(pending(id), from, latest);
            if (!place) return std::nullopt;
            if (!found.empty() && place->start > from) return place->start;
            from = place->start;
            trial_.put(id, planned_of(pending(id), pending(id).shape->length, *place));
            found.push_back(*std::move(place));
        }
        return std::nullopt;
    }

    PlannedReservation planned_of(const PendingJob& job, Duration length,
                                  const Found& found) const {
        const Demand& demand = job.shape->demand();
        const PlacementPreference preference = preference_of(job);
        const StartSearch search(state_, derived_, now_, preference);
        PlannedReservation planned;
        planned.start = found.start;
        planned.end = after(found.start, found.start > now_
                                             ? search.booked_length(wanted_of(job, demand, length))
                                             : length);
        if (state_.quota().enforced())
            planned.limits = limit_use_of(state_, derived_.book.limits(), job);
        planned.rarely = PlannedReservation::Rarely{
            .licenses = found.licenses, .reservation = demand.reservation, .lent = {}};
        NodeAmounts amounts;
        amounts.reserve(found.parts.size());
        for (const Part& part : found.parts) amounts.emplace_back(part.node, part.take.amount);
        planned.amounts = amounts;
        return planned;
    }

    void add_component(JobId id, const Found& found) {
        StartEstimate::Component component{.job = id, .partition = record(id).partition};
        std::int64_t millicpu = 0;
        for (const Part& part : found.parts) {
            component.nodes.push_back(part.node);
            millicpu += part.take.amount.cpu().count();
        }
        component.cpus = (millicpu + 999) / 1000;
        result_.components.push_back(std::move(component));
    }

    const ClusterState& state_;
    const DerivedState& derived_;
    Trial& trial_;
    Time now_;
    Time from_;  // It cannot start before.
    EngineView view_;
    PendingJobs scratch_;  // The jobs in question alone.
    std::vector<JobId> ids_;
    StartEstimate result_;
    bool passes_limits_ = false;
};

}  // namespace

namespace {

StartEstimate estimate_of(Engine& engine, Time now, const std::vector<Job>& jobs) {
    const DerivedState& derived = engine.derived();  // Up to date before the jobs are there.
    ClusterState& state = engine.mutable_state();
    const ClusterState::Mark mark = state.checkpoint();
    for (const Job& job : jobs) state.apply(now, JobSubmitted{job});
    StartEstimate estimate;
    {
        Trial trial = engine.trial();
        estimate = Estimating(state, derived, trial, now, jobs).run();
    }
    state.rollback(mark);
    return estimate;
}

}  // namespace

// Of a job that names several partitions, or whose queue tells flavors apart: in the one where it
// would start first. In partitions of a lower tier than where it stands it only starts at once.
StartEstimate will_run(Engine& engine, Time now, const std::vector<Job>& jobs) {
    const Job& job = jobs.front();
    if (jobs.size() > 1) return estimate_of(engine, now, jobs);
    const ClusterSpec& spec = engine.state().spec();
    std::vector<WaitingPlace> all = waiting_places_of(engine.state(), job);
    const WaitingPlace own{job.partition, job.spec.flavor};  // It comes first, if it is one.
    std::ranges::stable_partition(all, [&](const WaitingPlace& one) { return one == own; });
    StartEstimate best;
    for (const WaitingPlace& one : all) {
        const Job moved = one == own ? job : moved_to(spec, job, one.partition, one.flavor);
        StartEstimate there = estimate_of(engine, now, {moved});
        if (&one == &all.front()) {
            best = std::move(there);
            continue;
        }
        const bool is_lower = spec.partition(one.partition).priority_tier <
                              spec.partition(job.partition).priority_tier;
        if (is_lower && there.start && *there.start > now) continue;
        if (there.start && (!best.start || *there.start < *best.start)) best = std::move(there);
    }
    return best;
}

}  // namespace berth
