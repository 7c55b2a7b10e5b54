#include "berth/engine/plan/trial.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "berth/engine/plan/lending.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {

Trial::Trial(ClusterState& state, PlanBook& book)
    : state_(state), book_(book), changed_before_(book.changed_.size()) {}

Trial::~Trial() {
    back_to(0);
    book_.changed_.resize(changed_before_);
}

void Trial::back_to(Mark mark) {
    while (log_.size() > mark) undo_last();
}

namespace {

// Whether what a node has free cannot be told any more from what it has once the share is given
// back: drained devices do not come back, and of a shared one the last to leave it is unknown.
bool is_lost(const NodeFree& free, const NodeShare& share) {
    return free.drained != 0 || share.device_share.has_value();
}

}  // namespace

// ---- What is tried.

void Trial::lift(JobId job) {
    const PlannedReservation* const known = book_.find(job);
    BERTH_ASSERT(known != nullptr);
    Undo& undo = log_.emplace_back(Undo{.job = job, .removed = *known});
    known->running() ? lift_run(*state_.find_job(job), undo) : lift_planned(undo);
}

void Trial::lift_run(const Job& job, Undo& undo) {
    for (const PartOf& part : std::as_const(*undo.removed).run->parts) {
        const PlanBook::DeviceKey key(part.node, part.device);
        undo.shared.emplace_back(key, book_.shared_.at(key));
    }
    book_.remove(job.id);
    lifted_.insert(job.id);
    for (const NodeShare& share : job.allocation->shares) give_back_run(job, share, undo);
    book_drained(undo, false);
    if (state_.quota_.enforced()) state_.quota_.set_aside(job, state_.known_leaf(job.id));
}

void Trial::give_back_run(const Job& job, const NodeShare& share, Undo& undo) {
    NodeFree& free = state_.nodes_.free_in_trial(share.node);
    const NodeSpec& node = state_.spec().node(share.node);
    const bool shared = is_shared(job, share);
    if (is_lost(free, share) || shared) undo.free.push_back(free);
    for_each_bit(free.drained & share.whole_devices(), [&](int device) {
        Resources one;
        one[node.devices[static_cast<std::size_t>(device)].dimension] = 1;
        undo.drained.emplace_back(share.node, one);
    });
    if (!shared) return give_back(free, share, node);
    const std::vector<const Job*> left = left_on(share.node);
    const BitSet freed = freed_cores(share, left) - free.cores;
    give_back(free, without_cores(share, share.cores - freed), node);
    book_freed(left, share.node, freed, kNever, undo);
}

// Whether others may hold cores of it as well.
bool Trial::is_shared(const Job& job, const NodeShare& share) const {
    const bool alike = share.cores.size() == state_.nodes_.free(share.node).cores.size();
    return alike && (job.lends_cores() || state_.index().any_lender_on(share.node));
}

// The runs on the node that are not lifted, the first start first.
std::vector<const Job*> Trial::left_on(NodeId node) const {
    std::vector<const Job*> left;
    for (const JobId id : state_.index().on_node(node)) {
        if (!lifted_.contains(id)) left.push_back(state_.find_job(id));
    }
    std::ranges::stable_sort(left, {}, [](const Job* one) { return *one->started_at; });
    return left;
}

// Those cores of the share that are free: nobody is left that holds them, or the last of these
// lends.
BitSet Trial::freed_cores(const NodeShare& share, const std::vector<const Job*>& left) const {
    BitSet freed = share.cores;
    for (const Job* const run : left) {
        const NodeShare& held = *share_on(*run, share.node);
        if (held.cores.size() != freed.size()) continue;
        if (lending_.contains(run->id) && is_as_taken(state_.spec().node(share.node), held)) {
            freed |= held.cores & share.cores;
        } else {
            freed -= held.cores;
        }
    }
    return freed;
}

void Trial::lend(JobId job, Time until) {
    Undo& undo = log_.emplace_back(Undo{.job = job, .removed = std::nullopt, .lends = true});
    const Job& run = *state_.find_job(job);
    lending_.insert(job);
    for (const NodeShare& share : run.allocation->shares) {
        undo.free.push_back(state_.nodes_.free_in_trial(share.node));
        lend_on(share, until, undo);
    }
}

void Trial::lend_on(const NodeShare& share, Time until, Undo& undo) {
    NodeFree& free = state_.nodes_.free_in_trial(share.node);
    if (share.cores.size() != free.cores.size()) return;
    const std::vector<const Job*> left = left_on(share.node);
    const BitSet freed = freed_cores(share, left) - free.cores;
    free.cores |= freed;
    free.amount.set_cpu(free.amount.cpu() + cpu_of(share, freed));
    book_freed(left, share.node, freed, until, undo);
}

// Gives back these cores in the plan, where each is booked for the first of the runs that are left
// of it. What nobody is left of has been given back with its run.
void Trial::book_freed(const std::vector<const Job*>& left, NodeId node, BitSet freed, Time until,
                       Undo& undo) {
    for (const Job* const holder : left) {
        const NodeShare& held = *share_on(*holder, node);
        if (held.cores.size() != freed.size()) continue;
        const BitSet part = freed & held.cores;
        if (part.empty()) continue;
        freed -= part;
        const PlannedReservation& booked = *book_.find(holder->id);
        const Span span{booked.start, std::min(booked.end, until)};
        if (span.end <= span.start) continue;
        Resources cpu;
        cpu.set_cpu(cpu_of(held, part));
        undo.lent.push_back({holder->id, node, span, cpu});
        change_lent(undo.lent.back(), true);
    }
}

void Trial::change_lent(const Undo::Lent& lent, bool more) {
    const SharedText& reservation = state_.find_job(lent.holder)->spec.request->reservation;
    book_.change_on(lent.node, reservation, lent.span, lent.cpu, more);
    book_.free_groups_.change(lent.node, lent.cpu, more);
}

void Trial::lengthen(JobId job, Time end) {
    const Time before = move_end(job, end);
    log_.push_back({.job = job, .removed = std::nullopt, .ended = before});
}

// Returns when its end was.
Time Trial::move_end(JobId job, Time end) {
    PlannedReservation moved = book_.running_.at(job);
    const Time before = moved.end;
    book_.change_timelines(moved, true);
    book_.ends_.expected.erase({before, job});
    moved.end = end;
    book_.ends_.expected.emplace(end, job);
    book_.change_timelines(moved, false);
    for (const PartOf& part : std::as_const(moved).run->parts)
        book_.change_shared(part, job, moved.start, end);
    book_.running_[job] = std::move(moved);
    return before;
}

void Trial::lift_planned(Undo& undo) {
    for (const NodeId node : undo.removed->amounts.nodes()) {
        const auto& jobs = book_.planned_on_[node.index()];
        undo.places.push_back(std::ranges::find(jobs, undo.job) - jobs.begin());
    }
    book_.remove(undo.job);
}

void Trial::put(JobId job, PlannedReservation planned) {
    BERTH_ASSERT(book_.find(job) == nullptr && !planned.running());
    book_.change_timelines(planned, false);
    book_.count_lent(planned, true);
    book_.enter_planned(job, std::move(planned));
    log_.push_back({.job = job, .removed = std::nullopt});
}

// A drained device is no one's once its holder is gone.
void Trial::book_drained(const Undo& undo, bool more) {
    for (const auto& [node, one] : undo.drained) {
        book_.change(node, undo.removed->start, undo.removed->end, one, more);
        book_.free_groups_.change(node, one, more);
    }
}

// ---- Taking it back, the last first.

void Trial::undo_last() {
    Undo undo = std::move(log_.back());
    log_.pop_back();
    if (undo.lends) {
        restore_lender(undo);
    } else if (undo.ended) {
        move_end(undo.job, *undo.ended);
    } else if (!undo.removed) {
        book_.remove(undo.job);
    } else if (undo.removed->running()) {
        restore_run(*state_.find_job(undo.job), undo);
    } else {
        restore_planned(undo);
    }
}

void Trial::restore_lender(Undo& undo) {
    for (const Undo::Lent& lent : undo.lent | std::views::reverse) change_lent(lent, false);
    lending_.erase(undo.job);
    const auto& shares = state_.find_job(undo.job)->allocation->shares;
    for (std::size_t i = 0; i < shares.size(); ++i)
        state_.nodes_.free_in_trial(shares[i].node) = std::move(undo.free[i]);
}

void Trial::restore_run(const Job& job, Undo& undo) {
    for (const Undo::Lent& lent : undo.lent | std::views::reverse) change_lent(lent, false);
    lifted_.erase(job.id);
    if (state_.quota_.enforced()) state_.quota_.put_back(job, state_.known_leaf(job.id));
    book_drained(undo, true);
    const auto& shares = job.allocation->shares;
    for (std::size_t i = shares.size(); i-- > 0;) {
        NodeFree& free = state_.nodes_.free_in_trial(shares[i].node);
        if (is_lost(free, shares[i]) || is_shared(job, shares[i])) {
            free = std::move(undo.free.back());
            undo.free.pop_back();
        } else {
            subtract(free, shares[i], state_.spec().node(shares[i].node));
        }
    }
    const PlannedReservation& removed = *undo.removed;
    book_.change_timelines(removed, false);
    removed.each_booked([&](NodeId node, const Resources& amount) {
        book_.free_groups_.change(node, amount, false);
    });
    book_.count_lent(removed, true);
    for (std::size_t i = undo.shared.size(); i-- > 0;) {
        restore_shared(undo.shared[i].first, undo.shared[i].second);
    }
    book_.list_ends(job.id, removed, true);
    book_.running_[job.id] = *std::move(undo.removed);
}

void Trial::restore_shared(const PlanBook::DeviceKey& key, const PlanBook::Shared& before) {
    const auto& [node, device] = key;
    Resources one;
    one[state_.spec().node(node).devices[device].dimension] = 1;
    const auto known = book_.shared_.find(key);
    if (known != book_.shared_.end()) {
        book_.change(node, known->second.from, known->second.until, one, true);
    }
    book_.shared_[key] = before;
    book_.change(node, before.from, before.until, one, false);
}

// Its entry in the heap of starts is still there.
void Trial::restore_planned(Undo& undo) {
    const PlannedReservation& removed = *undo.removed;
    book_.change_timelines(removed, false);
    book_.count_lent(removed, true);
    const auto nodes = removed.amounts.nodes();
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const std::size_t n = nodes[i].index();
        if (book_.planned_on_[n].empty()) book_.planned_nodes_.insert(nodes[i]);
        book_.planned_on_[n].insert(book_.planned_on_[n].begin() + undo.places[i], undo.job);
        book_.starts_on_[n].insert(book_.starts_on_[n].begin() + undo.places[i], removed.start);
    }
    book_.planned_starts_[undo.job] = *std::move(undo.removed);
}

}  // namespace berth
