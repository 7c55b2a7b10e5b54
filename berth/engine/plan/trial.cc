#include "berth/engine/plan/trial.h"

#include <algorithm>
#include <ranges>
#include <utility>

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
    for (const NodeShare& share : job.allocation->shares) {
        NodeFree& free = state_.nodes_.free_in_trial(share.node);
        const NodeSpec& node = state_.spec().node(share.node);
        if (is_lost(free, share)) undo.free.push_back(free);
        for_each_bit(free.drained & share.whole_devices(), [&](int device) {
            Resources one;
            one[node.devices[static_cast<std::size_t>(device)].dimension] = 1;
            undo.drained.emplace_back(share.node, one);
        });
        give_back(free, own_part(job, share), node);
    }
    book_drained(undo, false);
    if (state_.quota_.enforced()) state_.quota_.set_aside(job, state_.known_leaf(job.id));
}

// What the node has free once the run is gone: not the cores that were lent to it.
NodeShare Trial::own_part(const Job& job, const NodeShare& share) const {
    const JobIndex& index = state_.index();
    if (!job.lends_cores() && !index.any_lender_on(share.node)) return share;
    return without_cores(share, shared_cores(state_.jobs(), index, job, share, Sharers::all));
}

void Trial::lend(JobId job) {
    Undo& undo = log_.emplace_back(Undo{.job = job, .removed = std::nullopt, .lends = true});
    const Job& run = *state_.find_job(job);
    for (const NodeShare& share : run.allocation->shares) {
        undo.free.push_back(state_.nodes_.free_in_trial(share.node));
        lend_on(run, share, undo);
    }
}

// A core that it has borrowed itself is booked for the first of its lenders.
void Trial::lend_on(const Job& job, const NodeShare& share, Undo& undo) {
    BitSet cores = lendable_cores(state_, job, share);
    NodeFree& free = state_.nodes_.free_in_trial(share.node);
    if (cores.size() != free.cores.size()) return;
    free.cores |= cores;
    free.amount.set_cpu(free.amount.cpu() + cpu_of(share, cores));
    std::vector<const Job*> below;
    for (const JobId id : state_.index().on_node(share.node)) {
        const Job& other = *state_.find_job(id);
        if (is_above(job, other)) below.push_back(&other);
    }
    std::ranges::sort(below, {}, [](const Job* one) { return *one->started_at; });
    below.push_back(&job);
    for (const Job* const holder : below) {
        for (const NodeShare& held : holder->allocation->shares) {
            if (held.node == share.node) lend_of(*holder, held, cores, undo);
        }
    }
}

// Gives back those of the cores that are the holder's, and takes them from the rest.
void Trial::lend_of(const Job& holder, const NodeShare& share, BitSet& cores, Undo& undo) {
    if (share.cores.size() != cores.size()) return;
    const BitSet part = cores & share.cores;
    if (part.empty()) return;
    cores -= part;
    const PlannedReservation& booked = *book_.find(holder.id);
    Resources cpu;
    cpu.set_cpu(cpu_of(share, part));
    undo.lent.push_back({holder.id, share.node, {booked.start, booked.end}, cpu});
    book_lent(undo.lent.back(), true);
}

void Trial::book_lent(const Undo::Lent& lent, bool more) {
    const SharedText& reservation = state_.find_job(lent.holder)->spec.request->reservation;
    book_.change_on(lent.node, reservation, lent.span, lent.cpu, more);
    book_.free_groups_.change(lent.node, lent.cpu, more);
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
    if (!planned.lent->empty()) ++book_.lent_;
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
    } else if (!undo.removed) {
        book_.remove(undo.job);
    } else if (undo.removed->running()) {
        restore_run(*state_.find_job(undo.job), undo);
    } else {
        restore_planned(undo);
    }
}

void Trial::restore_lender(Undo& undo) {
    for (const Undo::Lent& lent : undo.lent | std::views::reverse) book_lent(lent, false);
    const auto& shares = state_.find_job(undo.job)->allocation->shares;
    for (std::size_t i = 0; i < shares.size(); ++i)
        state_.nodes_.free_in_trial(shares[i].node) = std::move(undo.free[i]);
}

void Trial::restore_run(const Job& job, Undo& undo) {
    if (state_.quota_.enforced()) state_.quota_.put_back(job, state_.known_leaf(job.id));
    book_drained(undo, true);
    const auto& shares = job.allocation->shares;
    for (std::size_t i = shares.size(); i-- > 0;) {
        NodeFree& free = state_.nodes_.free_in_trial(shares[i].node);
        if (is_lost(free, shares[i])) {
            free = std::move(undo.free.back());
            undo.free.pop_back();
        } else {
            subtract(free, own_part(job, shares[i]), state_.spec().node(shares[i].node));
        }
    }
    const PlannedReservation& removed = *undo.removed;
    book_.change_timelines(removed, false);
    removed.each_booked([&](NodeId node, const Resources& amount) {
        book_.free_groups_.change(node, amount, false);
    });
    if (!removed.lent->empty()) ++book_.lent_;
    for (std::size_t i = undo.shared.size(); i-- > 0;) {
        restore_shared(undo.shared[i].first, undo.shared[i].second);
    }
    book_.ends_.emplace(removed.end, job.id);
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
    if (!removed.lent->empty()) ++book_.lent_;
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
