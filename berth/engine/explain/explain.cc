#include "berth/engine/explain/explain.h"

#include <algorithm>

#include "berth/engine/cycle/cycle_gates.h"
#include "berth/engine/cycle/plan_quota.h"
#include "berth/engine/explain/explain_advice.h"
#include "berth/engine/explain/explain_blockers.h"
#include "berth/engine/limits/limit_check.h"

namespace berth {
namespace {

constexpr std::size_t kWaitsForMax = 8;

class Explaining {
public:
    Explaining(const Engine& engine, Time now, const PendingJob& pending)
        : state_(engine.state()),
          outlook_(engine.outlook()),
          now_(now),
          pending_(pending),
          job_(*state_.find_job(pending.id)),
          view_(state_, outlook_, now),
          taste_{outlook_.policy,   view_,   pending.id,
                 &outlook_.domains, &state_, &outlook_.topologies} {}

    Explanation run() {
        result_.job = job_.id;
        explain_gates();
        if (!is_gated()) explain_special();
        explain_resources();
        explain_plan();
        if (!is_gated()) advise();
        explain_priority();
        return std::move(result_);
    }

private:
    const Demand& demand() const { return pending_.shape->demand(); }

    bool is_gated() const { return gated_; }

    // Every gate that is shut, and every limit that it would break.
    void explain_gates() {
        const auto gates =
            gates_of(state_, job_, *pending_.shape, outlook_.running_tasks(job_), now_);
        gated_ = !gates.empty();
        if (gated_) result_.reason = gates.front().reason;
        const auto excesses = limits_on_start(state_, job_, demand());
        for (const Gate& gate : gates) {
            const bool of_limits = std::ranges::any_of(
                excesses, [&](const Excess& one) { return one.reason == gate.reason; });
            if (of_limits) {
                for (const Excess& one : excesses) result_.blockers.push_back(blocker_of(one));
            } else {
                result_.blockers.push_back(
                    blocker_at_gate(state_, outlook_, job_, *pending_.shape, gate));
            }
        }
    }

    // What the last cycle found, where it is neither resources nor its turn.
    void explain_special() {
        const PendingReason known = state_.reason(job_.id);
        result_.reason = known == PendingReason::none ? PendingReason::resources : known;
        const std::string detail(state_.reason_detail(job_.id));
        switch (known) {
            case PendingReason::licenses: return explain_licenses();
            case PendingReason::reservation:
                add_blocker("reservation " + demand().reservation,
                            "Its reservation has not begun.");
                if (const Reservation* own = state_.find_reservation(demand().reservation)) {
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
            const std::int64_t free = outlook_.book.licenses().free_at(one.name, now_);
            if (free >= one.count) continue;
            Blocker blocker{.reason = PendingReason::licenses,
                            .level = "cluster",
                            .resource = "license/" + one.name,
                            .asked = one.count,
                            .free = free};
            for (const LicenseSpec& known : state_.spec().licenses) {
                if (known.name == one.name) blocker.total = known.total;
            }
            blocker.text = "It asks for " + std::to_string(one.count) + " licenses " + one.name +
                           "; " + std::to_string(free) + " of " + std::to_string(blocker.total) +
                           " are free.";
            result_.blockers.push_back(std::move(blocker));
        }
    }
    void add_blocker(std::string level, std::string text) {
        result_.blockers.push_back(
            {.reason = result_.reason, .level = std::move(level), .text = std::move(text)});
    }

    // Either too little is free; or enough is, but promised to jobs before it.
    void explain_resources() {
        if (auto blocker = blocker_of_holds(state_, outlook_, job_, demand())) {
            result_.blockers.push_back(*std::move(blocker));
        }
        const BitSet open = outlook_.holds.open_to(job_.id, outlook_.usable);
        const auto free = [&](NodeId node) {
            return open.test(node.index()) ? &state_.free(node).amount : nullptr;
        };
        if (demand().linked > 0) return explain_linked();
        const auto placed = place(demand(), free, taste_);
        if (const Why* why = std::get_if<Why>(&placed)) {
            for (const Shortage& shortage : why->shortages) {
                result_.blockers.push_back(blocker_of(state_, job_, shortage));
            }
            return;
        }
        if (is_gated() || result_.reason == PendingReason::licenses) return;
        Blocker blocker{.reason = PendingReason::priority, .level = "plan"};
        const bool endless = pending_.shape->length == Duration::max();
        blocker.text = std::string("Enough is free now, but ") +
                       (endless ? "it has no time limit, so it would never give back what "
                                : "within its time limit that ") +
                       "is promised to jobs before it:" + promised_to() + ".";
        result_.blockers.push_back(std::move(blocker));
    }

    // Linked GPUs: amounts say nothing, so nodes are counted.
    void explain_linked() {
        const auto count = static_cast<int>(demand().linked);
        int enough = 0, linked = 0;
        for (std::size_t n = 0; n < state_.spec().nodes.size(); ++n) {
            const NodeId node = NodeId::from_index(n);
            if (!outlook_.usable.test(n) || !may_use(node)) continue;
            bool has_enough = false, has_linked = false;
            for_each_bit(demand().gres_per_node.back().dimensions, [&](int d) {
                const DimensionId type(static_cast<std::uint32_t>(d));
                const NodeFree& free = state_.free(node);
                has_enough = has_enough || free.amount[type] >= count;
                has_linked =
                    has_linked || outlook_.topologies.has_linked(node, type, free.devices, count);
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

    // As users name it: "12", "12_3".
    std::string name_of(JobId id) const {
        const Job* const job = state_.find_job(id);
        if (job == nullptr || !job->array_job || !job->array_task) return to_string(id);
        return to_string(*job->array_job) + "_" + std::to_string(*job->array_task);
    }

    // Who has promises, within the job's time, on nodes that it could use.
    std::string promised_to() const {
        std::string jobs;
        std::size_t count = 0;
        const Time end = after(now_, pending_.shape->length);
        for (const auto& [id, promise] : outlook_.book.promises()) {
            if (id == job_.id || promise.start >= end) continue;
            const bool meets = std::ranges::any_of(
                promise.amounts, [&](const auto& part) { return may_use(part.first); });
            if (meets && count++ < kWaitsForMax) jobs += " " + name_of(id);
        }
        return count > kWaitsForMax ? jobs + " …" : jobs;
    }

    bool may_use(NodeId node) const {
        return std::ranges::any_of(demand().choices,
                                   [&](const BitSet& choice) { return choice.test(node.index()); });
    }

    void explain_plan() {
        const PlannedStart* planned = state_.planned(job_.id);
        if (planned == nullptr) return explain_no_plan();
        result_.planned_start = planned->start;
        std::vector<std::pair<Time, JobId>> ends;
        for (const auto& [node, amount] : planned->amounts) {
            result_.planned_nodes.push_back(state_.spec().node(node).name);
            for (const JobId id : state_.jobs_on(node)) {
                const Booking* run = outlook_.book.find(id);
                if (run != nullptr && run->due() <= planned->start)
                    ends.emplace_back(run->due(), id);
            }
            for (const auto& [id, promise] : outlook_.book.promises()) {
                const bool on_node = std::ranges::any_of(
                    promise.amounts, [&](const auto& part) { return part.first == node; });
                if (on_node && promise.end <= planned->start) ends.emplace_back(promise.end, id);
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

    // Which option of the site keeps it out of the plan, if one does.
    void explain_no_plan() {
        if (is_gated()) return;
        PlanQuota quota(state_, now_);
        for (const JobOrder::Entry& entry : outlook_.pending.order().entries()) {
            if (entry.job == nullptr) continue;
            if (entry.job == &pending_) break;
            quota.count(*entry.job);
        }
        const std::string_view option = quota.objection(pending_);
        if (option.empty()) return;
        may_plan_ = false;
        add_blocker("plan", "It has no planned start, by the site's " + std::string(option) +
                                "; it starts when there is room that nobody is promised.");
    }

    void explain_priority() {
        for (const PriorityPart& part : outlook_.policy.priority_parts(job_, view_)) {
            result_.priority.emplace_back(part.name, part.micropoints / 1'000'000);
        }
        if (outlook_.policy.is_fifo()) {
            result_.priority.emplace_back("order of submission",
                                          outlook_.policy.priority(job_, view_));
        }
        const WorkAhead ahead = work_ahead(state_, outlook_, pending_);
        result_.ahead = ahead.jobs;
        result_.ahead_gpu_minutes = ahead.gpu_minutes;
        result_.ahead_endless = ahead.endless;
    }

    void advise() {
        for (const Advice& one : advice_for(state_, outlook_, now_, pending_, taste_, may_plan_)) {
            result_.advice.push_back(in_words(one, now_, state_.planned(job_.id)));
        }
    }

    const ClusterState& state_;
    const Outlook& outlook_;
    Time now_;
    const PendingJob& pending_;
    const Job& job_;
    EngineView view_;
    Taste taste_;
    Explanation result_;
    bool gated_ = false, may_plan_ = true;
};

}  // namespace

Explanation explain(const Engine& engine, Time now, JobId job) {
    const PendingJob* pending = engine.outlook().pending.find(job);
    if (pending == nullptr) return {.job = job};
    return Explaining(engine, now, *pending).run();
}

}  // namespace berth
