#include "berth/engine/explain/explain.h"

#include <algorithm>

#include "berth/base/counted.h"
#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/limit_times.h"
#include "berth/engine/cycle/plan_quota.h"
#include "berth/engine/explain/explain_advice.h"
#include "berth/engine/explain/explain_blockers.h"
#include "berth/engine/explain/explain_preemption.h"
#include "berth/engine/explain/explain_victims.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/plan/on_sockets.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/job_phase.h"

namespace berth {
namespace {

constexpr std::size_t kWaitsForMax = 8;

bool share_a_limit(const LimitUse& one, const LimitUse& other) {
    if (!one.queued().empty() && !other.queued().empty()) return true;
    return std::ranges::any_of(one.counted(), [&](const LimitUse::Part& part) {
        const auto others = other.counted();
        return std::ranges::find(others, part.of, &LimitUse::Part::of) != others.end();
    });
}

class Explaining {
public:
    Explaining(Engine& engine, Time now, const PendingJob& pending)
        : engine_(engine),
          state_(engine.state()),
          derived_(engine.derived()),
          now_(now),
          pending_(pending),
          job_(*state_.find_job(pending.id)),
          view_(state_, derived_, now),
          preference_{derived_.policy.placement(state_.spec().partition(pending.partition)),
                      view_,
                      pending.id,
                      &derived_.domains,
                      &state_,
                      &derived_.topologies} {}

    Explanation run() {
        result_.job = job_.id;
        explain_blockings();
        if (!is_blocked()) explain_special();
        const bool keeps_limits = !is_blocked() && explain_planned_limits();
        explain_resources(keeps_limits);
        const FitsIfLent fits = [&](const std::vector<JobId>& lenders) {
            return fits_if_lent(engine_, now_, pending_, lenders);
        };
        for (Blocker& one :
             blockers_of_preemption(state_, derived_, job_, pending_.priority(), now_, fits))
            result_.blockers.push_back(std::move(one));
        explain_plan();
        if (!is_blocked()) advise();
        explain_priority();
        return std::move(result_);
    }

private:
    const Demand& demand() const { return pending_.shape->demand(); }

    bool is_blocked() const { return blocked_; }

    // All blocking reasons and all limits that the job would exceed.
    void explain_blockings() {
        const auto blockings = blocking_reasons_of(
            state_, job_, *pending_.shape, derived_.budgets(), derived_.running_tasks(job_), now_);
        blocked_ = !blockings.empty();
        if (blocked_) result_.reason = blockings.front().reason;
        const auto excesses = limits_on_start(state_, job_, demand());
        for (const BlockingReason& blocking : blockings) {
            if (blocking.by_budget) {
                result_.blockers.push_back(blocker_of(
                    *budget_of(state_, derived_.budgets(), job_, *pending_.shape->kind)));
                continue;
            }
            const bool of_limits = std::ranges::any_of(
                excesses, [&](const Excess& one) { return one.reason == blocking.reason; });
            if (of_limits) {
                for (const Excess& one : excesses) result_.blockers.push_back(blocker_of(one));
            } else {
                result_.blockers.push_back(
                    blocker_of_reason(state_, derived_, job_, *pending_.shape, blocking));
            }
        }
    }

    // What the last cycle found, if the reason is neither resources nor priority.
    void explain_special() {
        const PendingReason known = state_.schedule().reason(job_.id);
        result_.reason = known == PendingReason::none ? PendingReason::resources : known;
        const std::string detail(state_.schedule().reason_detail(job_.id));
        switch (known) {
            case PendingReason::licenses: return explain_licenses();
            case PendingReason::reservation:
                add_blocker("reservation " + demand().reservation,
                            "Its reservation has not begun.");
                if (const Reservation* own = state_.reservations().find(demand().reservation)) {
                    if (own->start > now_) result_.blockers.back().until = own->start;
                }
                return;
            case PendingReason::req_node_not_avail:
                return add_blocker("reservation", "Nodes that it needs are kept by reservations" +
                                                      (detail.empty() ? "" : " (" + detail + ")") +
                                                      ".");
            default: return;
        }
    }
    void explain_licenses() {
        for (const LicenseCount& one : demand().licenses.counts) {
            const std::int64_t free = derived_.book.licenses().free_at(one.name, now_);
            if (free >= one.count) continue;
            Blocker blocker{.reason = PendingReason::licenses,
                            .level = "cluster",
                            .resource = "license/" + one.name,
                            .asked = one.count,
                            .free = free};
            for (const LicenseSpec& known : state_.spec().licenses) {
                if (known.name == one.name) blocker.total = known.total;
            }
            blocker.text = "It asks for " + counted(one.count, "licenses") + " " + one.name + "; " +
                           std::to_string(free) + " of " + std::to_string(blocker.total) +
                           " are free.";
            result_.blockers.push_back(std::move(blocker));
        }
    }
    void add_blocker(std::string level, std::string text) {
        result_.blockers.push_back(
            {.reason = result_.reason, .level = std::move(level), .text = std::move(text)});
    }

    // Either too little is free, or enough is free but planned for jobs before this one.
    // `keeps_limits`: that it waits for those has been said.
    void explain_resources(bool keeps_limits) {
        if (auto blocker = blocker_of_holds(state_, derived_, job_, demand())) {
            result_.blockers.push_back(*std::move(blocker));
        }
        const BitSet open = derived_.holds.open_to(job_.id, derived_.usable);
        const auto free = [&](NodeId node) {
            return open.test(node.index()) ? &state_.nodes().free(node).amount : nullptr;
        };
        if (demand().linked > 0) return explain_linked();
        Demand wanted = demand();
        wanted.near.any_cores = false;
        if (demand().near.any_cores && explain_sockets(wanted)) return;
        const auto placed = place(wanted, free, preference_);
        if (const Why* why = std::get_if<Why>(&placed)) {
            for (const Shortage& shortage : why->shortages) {
                result_.blockers.push_back(blocker_of(state_, job_, shortage));
            }
            return;
        }
        if (is_blocked() || keeps_limits || result_.reason == PendingReason::licenses) return;
        const std::string jobs = planned_for_jobs();
        if (jobs.empty()) return;  // A reservation keeps the nodes, and that has been said.
        Blocker blocker{.reason = PendingReason::priority, .level = "plan"};
        const bool endless = pending_.shape->length == Duration::max();
        blocker.text = std::string("Enough is free now, but ") +
                       (endless ? "it has no time limit, so it would never give back what "
                                : "within its time limit that ") +
                       "is planned for jobs before it:" + jobs + ".";
        result_.blockers.push_back(std::move(blocker));
    }

    // No limit keeps it from starting now, but what is left of one is needed by planned starts.
    bool explain_planned_limits() {
        if (!state_.quota().enforced()) return false;
        const LimitBook& limits = derived_.book.limits();
        const LimitUse use = limit_use_of(state_, limits, pending_);
        LimitTimes times = limit_times_of(state_, limits, pending_, use, now_);
        const PlannedReservation* const own = derived_.book.planned_start(job_.id);
        if (own != nullptr) times.beside(own->start);
        if (times.first(now_, now_)) return false;
        const std::string jobs = names_of_planned(
            [&](const PlannedReservation& planned) { return share_a_limit(planned.limits, use); });
        result_.blockers.push_back(
            {.reason = PendingReason::priority,
             .level = "plan",
             .text = "Its limits leave enough now, but within its time limit that is planned for "
                     "jobs before it:" +
                     jobs + "."});
        return true;
    }

    // Linked GPUs cannot be told from amounts, so nodes are counted.
    void explain_linked() {
        const auto count = static_cast<int>(demand().linked);
        int enough = 0, linked = 0;
        for (std::size_t n = 0; n < state_.spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (!derived_.usable.test(n) || !may_use(node)) continue;
            bool has_enough = false, has_linked = false;
            for_each_bit(demand().gres_per_node.back().dimensions, [&](int d) {
                const DimensionId type(static_cast<std::uint32_t>(d));
                const NodeFree& free = state_.nodes().free(node);
                has_enough = has_enough || free.amount[type] >= count;
                has_linked =
                    has_linked || derived_.topologies.has_linked(node, type, free.devices, count);
            });
            enough += has_enough ? 1 : 0;
            linked += has_linked ? 1 : 0;
        }
        Blocker blocker{.reason = result_.reason, .level = "node"};
        blocker.text = "It wants " + std::to_string(count) +
                       " GPUs of one node that are all linked to each other (--pack); " +
                       std::to_string(enough) + " nodes have so many free, " +
                       std::to_string(linked) + " have them linked.";
        result_.blockers.push_back(std::move(blocker));
    }

    // Neither can sockets. True: they are what is missing.
    bool explain_sockets(const Demand& wanted) {
        std::uint32_t enough = 0, on_sockets = 0;
        const std::uint32_t least = tasks_per_node_min(wanted);
        for (std::size_t n = 0; n < state_.spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (!derived_.usable.test(n) || !may_use(node)) continue;
            const NodeSpec& spec = state_.spec().node(node);
            const NodeFree& free = state_.nodes().free(node);
            if (tasks_that_fit(wanted, spec, free.amount, tasks_per_node_max(wanted)) == 0)
                continue;
            ++enough;
            on_sockets += tasks_on_sockets(wanted, spec, free) >= least ? 1U : 0U;
        }
        if (enough < wanted.nodes_min || on_sockets >= wanted.nodes_min) return false;
        Blocker blocker{.reason = result_.reason, .level = "node"};
        blocker.text =
            "Its tasks or GPUs are to lie on sockets (--ntasks-per-socket, --gpus-per-socket). "
            "Nodes that have enough free for " +
            std::to_string(least) + (least == 1 ? " task: " : " tasks: ") + std::to_string(enough) +
            "; on enough sockets: " + std::to_string(on_sockets) + ".";
        result_.blockers.push_back(std::move(blocker));
        return true;
    }

    std::string name_of(JobId id) const { return name_of_job(state_, id); }

    // The jobs with such planned starts within this job's time.
    template <class Meets>
    std::string names_of_planned(Meets meets) const {
        std::string jobs;
        std::size_t count = 0;
        const Time end =
            after(now_, held_length(state_.spec().scheduling, demand(), pending_.shape->length));
        for (const auto& [id, planned_start] : derived_.book.planned_starts()) {
            if (id == job_.id || planned_start.start >= end) continue;
            if (meets(planned_start) && count++ < kWaitsForMax) jobs += " " + name_of(id);
        }
        return count > kWaitsForMax ? jobs + " …" : jobs;
    }
    // Those on nodes that this job could use.
    std::string planned_for_jobs() const {
        return names_of_planned([&](const PlannedReservation& planned) {
            return std::ranges::any_of(planned.amounts,
                                       [&](const auto& part) { return may_use(part.first); });
        });
    }

    bool may_use(NodeId node) const {
        return std::ranges::any_of(demand().choices,
                                   [&](const BitSet& choice) { return choice.test(node.index()); });
    }

    void explain_plan() {
        const PlannedStart* planned = state_.schedule().planned(job_.id);
        if (planned == nullptr) return explain_no_plan();
        result_.planned_start = planned->start;
        const PlannedReservation* const booked = derived_.book.planned_start(job_.id);
        result_.tentative = booked != nullptr && !derived_.book.limits().is_by_right(
                                                     booked->limits, booked->start, booked->end);
        std::vector<std::pair<Time, JobId>> ends;
        for (const auto& [node, amount] : planned->amounts) {
            result_.planned_nodes.push_back(state_.spec().node(node).name);
            for (const JobId id : state_.index().on_node(node)) {
                const PlannedReservation* run = derived_.book.find(id);
                if (run != nullptr && run->due() <= planned->start)
                    ends.emplace_back(run->due(), id);
            }
            for (const auto& [id, planned_start] : derived_.book.planned_starts()) {
                const bool on_node = std::ranges::any_of(
                    planned_start.amounts, [&](const auto& part) { return part.first == node; });
                if (on_node && planned_start.end <= planned->start)
                    ends.emplace_back(planned_start.end, id);
            }
        }
        std::ranges::sort(ends);
        for (const auto& [end, id] : ends) {
            if (result_.waits_for.size() == kWaitsForMax) break;
            if (std::ranges::find(result_.waits_for, id) == result_.waits_for.end()) {
                result_.waits_for.push_back(id);
            }
        }
    }

    // The site option that keeps the job out of the plan, if there is one.
    void explain_no_plan() {
        if (is_blocked()) return;
        PlanQuota quota(state_, now_);
        for (const JobOrder::Entry& entry : derived_.pending.order().entries()) {
            if (entry.job == nullptr) continue;
            if (entry.job == &pending_) break;
            quota.count(*entry.job);
        }
        const std::string_view option = quota.objection(pending_);
        if (option.empty()) return;
        may_plan_ = false;
        add_blocker("plan", "It has no planned start, by the site's " + std::string(option) +
                                "; it starts when there is room that is planned for no other job.");
    }

    void explain_priority() {
        for (const PriorityPart& part : derived_.policy.priority_parts(job_, view_)) {
            result_.priority.emplace_back(part.name, part.micropoints / 1'000'000);
        }
        if (derived_.policy.is_fifo()) {
            result_.priority.emplace_back("order of submission",
                                          derived_.policy.priority(job_, view_));
        }
        const WorkAhead ahead = work_ahead(state_, derived_, pending_);
        result_.ahead = ahead.jobs;
        result_.ahead_gpu_minutes = ahead.gpu_minutes;
        result_.ahead_endless = ahead.endless;
    }

    void advise() {
        for (const Advice& one : advice_for(engine_, now_, pending_, may_plan_)) {
            result_.advice.push_back(in_words(one, now_, state_.schedule().planned(job_.id)));
        }
        if (auto one = advice_to_preempt(engine_, now_, pending_))
            result_.advice.push_back(*std::move(one));
    }

    Engine& engine_;
    const ClusterState& state_;
    const DerivedState& derived_;
    Time now_;
    const PendingJob& pending_;
    const Job& job_;
    EngineView view_;
    PlacementPreference preference_;
    Explanation result_;
    bool blocked_ = false, may_plan_ = true;
};

}  // namespace

Explanation explain(Engine& engine, Time now, JobId job) {
    const PendingJob* pending = engine.derived().pending.find(job);
    Explanation said =
        pending == nullptr ? Explanation{.job = job} : Explaining(engine, now, *pending).run();
    if (const Job* const known = engine.state().find_job(job)) {
        said.phase = phase_of(course_of(*known));
        said.conditions = conditions_of(course_of(*known));
    }
    return said;
}

}  // namespace berth
