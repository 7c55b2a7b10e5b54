#include "berth/engine/plan/trial.h"

#include <algorithm>
#include <utility>

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
        give_back(free, share, node);
    }
    book_drained(undo, false);
    if (state_.quota_.enforced()) state_.quota_.set_aside(job, state_.known_leaf(job.id));
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
    if (!undo.removed) {
        book_.remove(undo.job);
    } else if (undo.removed->running()) {
        restore_run(*state_.find_job(undo.job), undo);
    } else {
        restore_planned(undo);
    }
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
            subtract(free, shares[i], state_.spec().node(shares[i].node));
        }
    }
    const PlannedReservation& removed = *undo.removed;
    book_.change_timelines(removed, false);
    for (const auto& [node, amount] : removed.amounts) {
        book_.free_groups_.change(node, amount, false);
    }
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
