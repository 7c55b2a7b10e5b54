#include "berth/engine/cycle/turn_starts.h"

#include <algorithm>
#include <map>

#include "berth/engine/cycle/job_starts.h"
#include "berth/engine/cycle/planned_beside.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/derived/standing.h"
#include "berth/engine/plan/lending.h"
#include "berth/engine/state/job_ids.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {
namespace {

// Those cores of the share that other runs hold.
BitSet held_by_others(const ClusterState& state, const NodeShare& share) {
    return share.cores - state.nodes().free(share.node).cores;
}

// By place in the amounts: what the job takes of cores that count for others already.
std::vector<Millicpu> lent_of(const ClusterState& state, const PlannedAmounts& amounts,
                              const StartJob& fact) {
    std::vector<Millicpu> lent;
    for (const auto& [node, amount] : amounts) {
        const auto& shares = fact.allocation.shares;
        const auto share = std::ranges::find(shares, node, &NodeShare::node);
        lent.push_back(min(cpu_of(*share, held_by_others(state, *share)), amount.cpu()));
    }
    return lent;
}

}  // namespace

bool TurnStarts::could_start(const PendingJob& pending) const {
    if (!candidates_.may_have_any(pending) || has_hold(cycle_, pending.id)) return false;
    const Job& job = *cycle_.state().find_job(pending.id);
    const ReleaseNumber seen = cycle_.book().last_release();
    return !cycle_.derived().preemptions.has_no_turns(pending, job, seen);
}

bool TurnStarts::start(PendingJob& pending) {
    if (!could_start(pending)) return false;
    candidates_.list_for(pending);
    limited_ = false;
    std::optional<Choice> choice = search(pending);
    if (!choice) {
        if (!cycle_.complete()) return false;
        const Job& job = *cycle_.state().find_job(pending.id);
        cycle_.derived().preemptions.note_no_turns(pending, job, cycle_.book().last_release(),
                                                   limited_);
        return false;
    }
    PlanBook& book = cycle_.book();
    std::optional<PlannedReservation> before;
    if (book.planned_start(pending.id) != nullptr) before = book.lift(pending.id);
    const JobId started = berth::start(cycle_, pending, std::move(choice->fact));
    if (before) book.note_releases(*before, PlanBook::TakenOver{started, cycle_.now()});
    give_way(choice->behind);
    return true;
}

// Where the first choice would put off other starts, another one may not.
std::optional<TurnStarts::Choice> TurnStarts::search(const PendingJob& pending) {
    constexpr int kChoicesMost = 8;
    std::vector<std::size_t> in_vain;
    for (int i = 0; i < kChoicesMost && candidates_.at(0) != nullptr; ++i) {
        if (!cycle_.spend()) return std::nullopt;
        in_vain.clear();
        std::optional<Choice> choice = choose(pending, in_vain);
        if (choice || in_vain.empty()) return choice;
        candidates_.drop(in_vain);
    }
    return std::nullopt;
}

// `in_vain` gets the runs whose cores the job could have, if others kept their starts.
std::optional<TurnStarts::Choice> TurnStarts::choose(const PendingJob& pending,
                                                     std::vector<std::size_t>& in_vain) {
    const ClusterState& state = cycle_.state();
    const Time now = cycle_.now();
    Choice choice{.fact = {}, .behind = planned_behind(pending)};
    Trial trial(cycle_.mutable_state(), cycle_.book());
    if (cycle_.book().planned_start(pending.id) != nullptr) trial.lift(pending.id);
    for (const JobId id : choice.behind) trial.lift(id);
    const auto candidate = [&](std::size_t place) { return candidates_.at(place); };
    const auto share = [&](std::size_t place) { trial.lend(candidates_.at(place)->front()); };
    const auto fits = [&] {
        auto found = finder_.find(pending, now, now);
        limited_ = limited_ || finder_.was_limited();
        return found;
    };
    const auto found = choose_victims(state, candidate, share, trial, fits);
    if (!found || found->victims.empty()) return std::nullopt;
    const Trial::Mark before = trial.mark();
    for (const std::size_t place : found->victims) share(place);
    choice.fact = start_of(cycle_, pending, found->found, std::nullopt);
    choice.fact.in_turns = true;
    trial.back_to(before);
    if (others_keep_their_starts(pending, trial, found->found, choice.fact)) return choice;
    in_vain = found->victims;
    return std::nullopt;
}

// The jobs behind this one that it could preempt, if they ran.
std::vector<JobId> TurnStarts::planned_behind(const PendingJob& pending) const {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending.id);
    std::vector<JobId> behind;
    if (!rules.may_preempt_any(job)) return behind;
    for (const auto& [id, planned] : cycle_.book().planned_starts()) {
        const PendingJob* const other = cycle_.derived().pending.find(id);
        if (other == nullptr || other->is_component() || !(pending.key < other->key)) continue;
        const std::int64_t lead = pending.priority() - other->priority();
        if (!has_hold(cycle_, id) && rules.may_preempt(job, *cycle_.state().find_job(id), lead))
            behind.push_back(id);
    }
    return behind;
}

// All that will take turns with the job, directly or through others.
std::vector<const Job*> TurnStarts::group_of(const StartJob& fact) const {
    const ClusterState& state = cycle_.state();
    std::map<JobId, const Job*> group;
    for (const NodeShare& share : fact.allocation.shares) {
        const BitSet held = held_by_others(state, share);
        for (const JobId id : state.index().on_node(share.node)) {
            const Job& run = *state.find_job(id);
            const BitSet& own = share_on(run, share.node)->cores;
            if (own.size() != held.size() || !own.intersects(held) || stands_still(run)) continue;
            for (const Job* const one : turn_group(state, run)) group.emplace(one->id, one);
        }
    }
    std::vector<const Job*> runs;
    runs.reserve(group.size());
    for (const auto& [id, run] : group) runs.push_back(run);
    return runs;
}

// Those that stand still until the job, or one that takes turns with it, has ended.
std::vector<JobId> TurnStarts::lenders_below(const StartJob& fact,
                                             const std::vector<const Job*>& group) const {
    const ClusterState& state = cycle_.state();
    std::vector<JobId> lenders = lenders_to(state, group);
    for (const NodeShare& share : fact.allocation.shares) {
        const BitSet held = held_by_others(state, share);
        for (const JobId id : state.index().on_node(share.node)) {
            const Job& run = *state.find_job(id);
            const BitSet& own = share_on(run, share.node)->cores;
            if (own.size() == held.size() && own.intersects(held) && stands_still(run))
                lenders.push_back(id);
        }
    }
    put_in_order(lenders);
    return lenders;
}

// Also whether all that end later keep their deadlines, and stay clear of reservations and limits:
// those that take turns, and those that go on after them.
bool TurnStarts::others_keep_their_starts(const PendingJob& pending, Trial& trial,
                                          const Found& found, const StartJob& fact) const {
    const ClusterState& state = cycle_.state();
    const PlanBook& book = trial.book();
    const Time now = cycle_.now();
    const std::vector<const Job*> group = group_of(fact);
    const Time end = end_in_turns(
        state.spec(), group,
        JoiningRun{pending.shape->length, pending.shape->demand().near.over_time, now});
    const auto is_late = [&](const Job& job) {
        return job.spec.deadline && *job.spec.deadline < end;
    };
    if (is_late(*state.find_job(pending.id)) ||
        std::ranges::any_of(group, [&](const Job* run) { return is_late(*run); }))
        return false;
    const Trial::Mark before = trial.mark();
    PlannedReservation own = planned_reservation_for(cycle_, pending, found);
    own.end = end;
    own.set_lent(lent_of(state, own.amounts, fact));
    std::vector<NodeId> nodes(own.amounts.nodes().begin(), own.amounts.nodes().end());
    for (const Job* const run : group) {
        nodes.insert(nodes.end(), run->nodes.begin(), run->nodes.end());
        if (end > book.find(run->id)->end) trial.lengthen(run->id, end);
    }
    std::vector<JobId> concerned;
    bool in_time = true;
    for (const LenderEnd& one : ends_if_lent(state, lenders_below(fact, group), {}, end, now)) {
        const Job& run = *state.find_job(one.run);
        if (one.end > book.find(one.run)->end) trial.lengthen(one.run, one.end);
        in_time = in_time && !would_miss_deadline(run, one.goes_on, now);
        nodes.insert(nodes.end(), run.nodes.begin(), run.nodes.end());
        concerned.push_back(one.run);
    }
    trial.put(pending.id, std::move(own));
    for (const Job* const run : group) concerned.push_back(run->id);
    const std::vector<JobId> planned = planned_on(book, nodes);
    concerned.insert(concerned.end(), planned.begin(), planned.end());
    std::erase_if(concerned, [&](JobId id) { return !book.collides(*book.find(id), now); });
    trial.back_to(before);
    // What has lost its room before is planned anew anyway.
    return in_time && std::ranges::all_of(concerned, [&](JobId id) {
               const PlannedReservation* const known = book.find(id);
               return known != nullptr && book.collides(*known, now);
           });
}

void TurnStarts::give_way(std::span<const JobId> behind) {
    PlanBook& book = cycle_.book();
    for (const JobId id : behind) {
        PendingJob* const other = cycle_.derived().pending.find(id);
        const PlannedReservation* const planned = book.planned_start(id);
        if (other == nullptr || planned == nullptr || !book.collides(*planned, cycle_.now()))
            continue;
        book.note_releases(book.lift(id));
        other->looked = other->looked_ahead = false;
        cycle_.derived().pending.add_unlooked(id);
    }
}

}  // namespace berth
