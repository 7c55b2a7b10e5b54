#include "berth/engine/plan_book.h"

#include <algorithm>

namespace berth {
namespace {

constexpr std::size_t kLatestMax = 64;

const Resources* amount_on(const Booking& booking, NodeId node) {
    for (const auto& [at, amount] : booking.amounts) {
        if (at == node) return &amount;
    }
    return nullptr;
}

// Whether `now_booked` leaves nothing free on this node that `before` did not leave free.
bool covers(const Booking& now_booked, const Booking& before, NodeId node, const Resources& had,
            Time now) {
    const Resources* has = amount_on(now_booked, node);
    return has != nullptr && fits(had, *has) && now_booked.start <= std::max(before.start, now) &&
           now_booked.end >= before.end;
}

}  // namespace

Time limit_end(const SchedulingSpec& scheduling, const Job& job) {
    return after(after(*job.started_at, job.time_limit), scheduling.over_time_limit);
}

void PlanBook::rebuild(const ClusterState& state) {
    timelines_.clear();
    for (const NodeSpec& node : state.spec().nodes) timelines_.emplace_back(node.capacity);
    released_.assign(timelines_.size(), ++last_release_);
    latest_.clear();
    running_.clear();
    promises_.clear();
    ends_.clear();
    collision_ = true;
    const auto enter_from_state = [&](JobId id) {
        if (auto booking = booking_of(state, *state.find_job(id))) enter(id, *std::move(booking));
    };
    for (const JobId id : state.holding_jobs()) enter_from_state(id);
    for (const auto& [id, planned] : state.plan()) enter_from_state(id);
}

void PlanBook::note_release(NodeId node, Time from) {
    released_[node.index()] = ++last_release_;
    latest_.push_back({node, from});
    if (latest_.size() > kLatestMax) latest_.pop_front();
}

bool PlanBook::any_release_before(Time reach, ReleaseNumber since) const {
    const ReleaseNumber count = last_release_ - since;
    if (count > latest_.size()) return true;
    return std::any_of(latest_.end() - static_cast<std::ptrdiff_t>(count), latest_.end(),
                       [&](const Release& release) { return release.from < reach; });
}

std::optional<Booking> PlanBook::booking_of(const ClusterState& state, const Job& job) const {
    if (job.allocation) {
        const Time due = limit_end(state.spec().scheduling, job);
        Booking booking{*job.started_at, due, {}, true, due};
        for (const NodeShare& share : job.allocation->shares) {
            booking.amounts.emplace_back(share.node, share.amount);
        }
        const auto known = running_.find(job.id);  // Perhaps it overran already.
        if (known != running_.end() && known->second.due == due) booking.end = known->second.end;
        return booking;
    }
    const PlannedStart* planned = state.planned(job.id);
    if (planned == nullptr) return std::nullopt;
    return Booking{planned->start, planned->end, planned->amounts, false, {}};
}

void PlanBook::refresh(const ClusterState& state, Time now, JobId id) {
    const Job* job = state.find_job(id);
    std::optional<Booking> wanted;
    if (job != nullptr) wanted = booking_of(state, *job);
    const Booking* known = find(id);
    if (known == nullptr && !wanted) return;
    if (known != nullptr && wanted && *known == *wanted) return;
    std::optional<Booking> before;
    if (known != nullptr) {
        before = *known;
        remove(id);
    }
    if (wanted) {
        if (before && before->running && wanted->end > before->end) collision_ = true;
        enter(id, *wanted);
    }
    if (before) note_releases(*before, id, now);
    if (!before || !before->running) return;
    for (const auto& [node, amount] : before->amounts) {
        timelines_[node.index()].forget_before(now);
    }
}

const Booking* PlanBook::promise(JobId job) const {
    const auto found = promises_.find(job);
    return found == promises_.end() ? nullptr : &found->second;
}

const Booking* PlanBook::find(JobId job) const {
    const auto found = running_.find(job);
    return found == running_.end() ? promise(job) : &found->second;
}

void PlanBook::enter(JobId job, Booking booking) {
    show(booking);
    if (booking.running) {
        ends_.emplace(booking.end, job);
        running_.insert_or_assign(job, std::move(booking));
    } else {
        promises_.insert_or_assign(job, std::move(booking));
    }
}

void PlanBook::remove(JobId job) {
    const Booking& booking = *find(job);
    hide(booking);
    if (booking.running) {
        ends_.erase({booking.end, job});
        running_.erase(job);
    } else {
        promises_.erase(job);
    }
}

std::vector<JobId> PlanBook::extend_overdue(Time now, Duration longer) {
    std::vector<JobId> overdue;
    while (!ends_.empty() && ends_.begin()->first <= now) {
        const JobId job = ends_.begin()->second;
        Booking booking = running_.at(job);
        remove(job);
        booking.end = after(now, std::max(longer, now - booking.due));
        for (const auto& [node, amount] : booking.amounts) {
            timelines_[node.index()].forget_before(now);
        }
        enter(job, std::move(booking));
        overdue.push_back(job);
    }
    return overdue;
}

std::optional<Time> PlanBook::next_end() const {
    if (ends_.empty() || ends_.begin()->first == kNever) return std::nullopt;
    return ends_.begin()->first;
}

Booking PlanBook::lift(JobId job) {
    Booking booking = promises_.at(job);
    remove(job);
    return booking;
}

void PlanBook::put(JobId job, Booking booking) { enter(job, std::move(booking)); }

void PlanBook::note_releases(const Booking& booking) {
    for (const auto& [node, amount] : booking.amounts) note_release(node, booking.start);
}

void PlanBook::note_releases(const Booking& booking, JobId taken_over_by, Time now) {
    const Booking* by = find(taken_over_by);
    for (const auto& [node, amount] : booking.amounts) {
        if (by == nullptr || !covers(*by, booking, node, amount, now)) {
            note_release(node, booking.start);
        }
    }
}

bool PlanBook::has_room_for(const Booking& booking, Time from) const {
    const Time start = std::max(booking.start, from);
    return std::ranges::all_of(booking.amounts, [&](const auto& part) {
        const auto& [node, amount] = part;
        return fits(amount, timeline(node).least_free(start, booking.end));
    });
}

}  // namespace berth
