#include "berth/engine/plan/plan_book.h"

#include <algorithm>

#include "berth/base/make_room.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/state/job_ids.h"

namespace berth {

std::optional<Time> next_end(const PlanBook& book) {
    if (book.ends().expected.empty() || book.ends().expected.begin()->first == kNever)
        return std::nullopt;
    return book.ends().expected.begin()->first;
}

void PlanBook::rebuild(const ClusterState& state) {
    const std::size_t nodes = state.spec().nodes.size();
    timelines_.clear();
    for (const NodeSpec& node : state.spec().nodes) {
        timelines_.emplace_back(node.capacity, state.spec().dimensions.size());
    }
    const JobTable<PlannedReservation> before = std::exchange(running_, {});
    regroup(state.spec());
    planned_starts_.clear();
    ++plan_version_;
    planned_on_.assign(nodes, {});
    starts_on_.assign(nodes, {});
    planned_nodes_.clear();
    ends_ = {};
    starts_.clear();
    shared_.clear();
    drained_.clear();
    lent_ = 0;
    lent_on_.assign(nodes, 0);
    licenses_.rebuild(state.spec().licenses);
    limits_.rebuild(state.quota());
    reservations_.clear();
    reserved_.clear();
    for (const auto& [name, reservation] : state.reservations()) reservations_.add(reservation);
    reservations_.take_from(timelines_);
    collision_ = true;
    RunEnds run_ends(state);
    const auto enter_from_state = [&](JobId id) {
        auto planned_reservation = planned_reservation_of(state, *state.find_job(id), run_ends);
        if (!planned_reservation) return;
        // The job may be over its limit already.
        const PlannedReservation* known = before.find(id);
        if (known != nullptr && known->due() == planned_reservation->due()) {
            planned_reservation->end = std::max(planned_reservation->end, known->end);
        }
        enter(id, *std::move(planned_reservation));
    };
    for (const JobId id : state.index().holding()) enter_from_state(id);
    for (std::size_t n = 0; n < nodes; ++n) settle_drained(state, NodeId::from_index(n));
    for (const auto& [id, planned] : state.schedule().planned_starts()) enter_from_state(id);
    // Anything may have changed on the nodes of a planned start.
    for (const auto& [id, planned_start] : planned_starts_) disturbed_.push_back(id);
}

// The levels of the new classes are filled from the timelines as they are asked for.
void PlanBook::regroup(const ClusterSpec& spec) {
    classes_ = NodeClasses(spec);
    levels_ = FreeSlotLevels(classes_);
    free_slots_ = FreeSlotIndex(classes_.size());
    fresh_ = FreeSlotIndex(classes_.size());
    ++generation_;
    released_.assign(spec.nodes.size(), 0);
    fresh_nodes_.clear();
    all_fresh_ = true;
    ++last_release_;
    ++fresh_version_;
    free_groups_.rebuild(spec, classes_);
    for (const auto& [id, run] : running_) {
        run.each_booked([&](NodeId node, const Resources& amount) {
            free_groups_.change(node, amount, false);
        });
    }
}

namespace {

// A run that stands still is ended by its deadline, even if it was due before.
Time limit_besides(const ClusterState& state, const Job& run, Time due) {
    if (run.state != JobState::running) return kNever;
    const Time limit = limit_end(state.spec(), run);
    return limit < due || (run.is_suspended() && limit != due) ? limit : kNever;
}

Time end_if_late(Time due, Time now, Duration longer) {
    while (after(due, longer) <= now) longer *= 2;
    return after(due, longer);
}

}  // namespace

std::optional<PlannedReservation> PlanBook::planned_reservation_of(const ClusterState& state,
                                                                   const Job& job,
                                                                   RunEnds& ends) const {
    if (job.allocation) {
        const Time due = ends.of(job);
        PlannedReservation planned_reservation{
            .start = *job.started_at,
            .end = due,
            .amounts = {},
            .limits = limits_.use_of_run(state, job),
            .rarely = PlannedReservation::Rarely{
                job.allocation->licenses, job.spec.request->reservation, lent_to_run(state, job)}};
        NodeAmounts amounts;
        std::vector<PartOf> parts;
        for (const NodeShare& share : job.allocation->shares) {
            amounts.emplace_back(share.node, share.amount);
            const std::vector<Device>& devices = state.spec().node(share.node).devices;
            if (!share.device_share || share.device_share->device >= devices.size()) continue;
            const std::uint32_t device = share.device_share->device;
            parts.push_back({share.node, device, devices[device].dimension});
        }
        planned_reservation.amounts = amounts;
        planned_reservation.run =
            PlannedReservation::Run{due, std::move(parts), limit_besides(state, job, due)};
        // The job may be over its limit already.
        const PlannedReservation* known = running_.find(job.id);
        if (known != nullptr && known->due() == due) planned_reservation.end = known->end;
        return planned_reservation;
    }
    const PlannedStart* planned = state.schedule().planned(job.id);
    if (planned == nullptr) return std::nullopt;
    return PlannedReservation{
        .start = planned->start,
        .end = planned->end,
        .amounts = planned->amounts,
        .limits = limits_of_pending(state, job),
        .rarely = PlannedReservation::Rarely{
            planned->licenses, job.spec.request->reservation,
            lent_to_start(state, planned->amounts, state.index().victims(job.id))}};
}

// As the cycle has it for jobs of one kind.
LimitUse PlanBook::limits_of_pending(const ClusterState& state, const Job& job) const {
    if (!state.quota().enforced()) return {};
    const Demand demand = resolved_demand(state, job);
    return limits_.use_of(state, job, demand, limit_request_of(state, job.partition, demand));
}

// Limits that have become lower may be exceeded by planned starts; higher ones are a release.
void PlanBook::recount_limits(const ClusterState& state, const LimitChange& change) {
    if (change.none()) return;
    change.all ? limits_.rebuild(state.quota()) : limits_.forget_known();
    limits_.take_moves();
    bool other_use = change.all;
    const auto recount = [&](const Job& job, PlannedReservation& planned) {
        if (!change.concerns(state, job)) return;
        LimitUse now =
            planned.running() ? limits_.use_of_run(state, job) : limits_of_pending(state, job);
        const Time start = planned.running() ? Time::min() : planned.start;
        if (!change.all) {
            if (now == planned.limits) return;
            limits_.give_back(start, planned.end, planned.limits);
        }
        planned.limits = std::move(now);
        limits_.book(start, planned.end, planned.limits);
        other_use = true;
    };
    for (const auto& [id, run] : running_) recount(*state.find_job(id), run);
    for (const auto& [id, planned] : planned_starts_) recount(*state.find_job(id), planned);
    const LimitBook::Moves moves = limits_.take_moves();
    if (moves.down || other_use) collision_ = true;
    if (moves.up || other_use) ++last_release_;
}

void PlanBook::refresh(const ClusterState& state, Time now, JobId id) {
    RunEnds run_ends(state);
    const PlannedReservation* const known = running_.find(id);
    const bool borrowed = known != nullptr && known->lends();
    refresh_own(state, now, id, run_ends);
    if (lent_ == 0 && !borrowed && !state.index().any_lenders()) return;
    const Job* const job = state.find_job(id);
    if (job != nullptr) refresh_lent(state, now, *job, borrowed, run_ends);
}

void PlanBook::refresh_own(const ClusterState& state, Time now, JobId id, RunEnds& run_ends) {
    const Job* job = state.find_job(id);
    std::optional<PlannedReservation> wanted;
    if (job != nullptr) wanted = planned_reservation_of(state, *job, run_ends);
    // What is being ended may have been due before, and is extended by no one until the next cycle.
    if (wanted && wanted->end <= now && wanted->running() && job->state != JobState::running)
        wanted->end = end_if_late(wanted->due(), now, kill_within(state.spec().scheduling));
    const PlannedReservation* known = find(id);
    if (known == nullptr && !wanted) return;
    if (known != nullptr && wanted && *known == *wanted) return;
    std::optional<PlannedReservation> before;
    if (known != nullptr) {
        before = *known;
        remove(id);
    }
    if (wanted) {
        if (before && before->running() && wanted->end > before->end) collision_ = true;
        // It was late, and expected to end at any moment: now it goes on.
        if (before && before->running() && job->suspension && wanted->due() > before->due())
            collision_ = true;
        if (before && before->rarely->lent != wanted->rarely->lent) collision_ = true;
        enter(id, *wanted);
        // A run may use more of a limit than it asked for: whole cores, for one.
        const bool begins = wanted->running() && !(before && before->running());
        if (begins && limits_.exceeds(wanted->limits, now, wanted->end)) collision_ = true;
        // Its cores may be fewer of those that are lent than was planned.
        if (begins && std::ranges::any_of(wanted->amounts.nodes(), [&](NodeId node) {
                return state.index().any_lender_on(node);
            }))
            collision_ = true;
    }
    if (!drained_.empty()) {
        for (const auto* planned_reservation :
             {before ? &*before : nullptr, wanted ? &*wanted : nullptr}) {
            if (planned_reservation == nullptr || !planned_reservation->running()) continue;
            for (const NodeId node : planned_reservation->amounts.nodes())
                settle_drained(state, node);
        }
    }
    if (before) note_releases(*before, TakenOver{id, now});
    if (!before || !before->running()) return;
    for (const NodeId node : before->amounts.nodes()) forget_before(node, now);
}

const PlannedReservation* PlanBook::planned_start(JobId job) const {
    return planned_starts_.find(job);
}

const PlannedReservation* PlanBook::find(JobId job) const {
    const PlannedReservation* running = running_.find(job);
    return running == nullptr ? planned_start(job) : running;
}

void PlanBook::change_shared(const PartOf& part, JobId job, Time start, std::optional<Time> end) {
    const auto [at, is_new] = shared_.try_emplace({part.node, part.device});
    Shared& shared = at->second;
    Resources one;
    one[part.type] = 1;
    if (!is_new) change(part.node, shared.from, shared.until, one, true);
    shared.from = is_new ? start : std::min(shared.from, start);
    if (end) {
        shared.ends.insert_or_assign(job, *end);
    } else {
        shared.ends.erase(job);
    }
    if (shared.ends.empty()) {
        shared_.erase(at);
        return;
    }
    const auto later = [](const auto& a, const auto& b) { return a.second < b.second; };
    shared.until = std::ranges::max_element(shared.ends, later)->second;
    change(part.node, shared.from, shared.until, one, false);
}

std::optional<Time> PlanBook::shared_until(NodeId node, std::uint32_t device) const {
    const auto found = shared_.find({node, device});
    if (found == shared_.end()) return std::nullopt;
    return found->second.until;
}

void PlanBook::enter(JobId job, PlannedReservation planned_reservation) {
    change_timelines(planned_reservation, false);
    count_lent(planned_reservation, true);
    if (planned_reservation.running()) {
        list_ends(job, planned_reservation, true);
        planned_reservation.each_booked([&](NodeId node, const Resources& amount) {
            free_groups_.change(node, amount, false);
        });
        for (const PartOf& part : std::as_const(planned_reservation).run->parts) {
            change_shared(part, job, planned_reservation.start, planned_reservation.end);
        }
        running_[job] = std::move(planned_reservation);
        return;
    }
    const Time start = planned_reservation.start;
    enter_planned(job, std::move(planned_reservation));
    remember_start(start, job);
}

void PlanBook::list_ends(JobId job, const PlannedReservation& run, bool is_there) {
    const auto put = [&](std::set<std::pair<Time, JobId>>& list, Time at) {
        is_there ? void(list.emplace(at, job)) : void(list.erase({at, job}));
    };
    put(ends_.expected, run.end);
    if (run.run->limit != kNever) put(ends_.limits, run.run->limit);
}

// Apart from the timelines and the heap of starts.
void PlanBook::enter_planned(JobId job, PlannedReservation planned_reservation) {
    for (const NodeId node : planned_reservation.amounts.nodes()) {
        if (planned_on_[node.index()].empty()) planned_nodes_.insert(node);
        make_room(planned_on_[node.index()]);
        make_room(starts_on_[node.index()]);
        planned_on_[node.index()].push_back(job);
        starts_on_[node.index()].push_back(planned_reservation.start);
    }
    changed_.push_back(job);
    ++plan_version_;
    planned_starts_[job] = std::move(planned_reservation);
}

void PlanBook::remember_start(Time start, JobId job) {
    make_room(starts_);
    starts_.emplace_back(start, job);
    std::ranges::push_heap(starts_, std::greater{});
    if (starts_.size() > 64 + 2 * planned_starts_.size()) {
        std::erase_if(starts_, [&](const auto& entry) {
            const PlannedReservation* known = planned_start(entry.second);
            return known == nullptr || known->start != entry.first;
        });
        std::ranges::sort(starts_);  // A sorted range is a heap.
        starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
    }
}

void PlanBook::remove(JobId job) {
    const PlannedReservation& planned_reservation = *find(job);
    change_timelines(planned_reservation, true);
    count_lent(planned_reservation, false);
    if (planned_reservation.running()) {
        list_ends(job, planned_reservation, false);
        planned_reservation.each_booked(
            [&](NodeId node, const Resources& amount) { free_groups_.change(node, amount, true); });
        for (const PartOf& part : planned_reservation.run->parts) {
            change_shared(part, job, planned_reservation.start, std::nullopt);
        }
        running_.erase(job);
        return;
    }
    for (const NodeId node : planned_reservation.amounts.nodes()) {
        auto& jobs = planned_on_[node.index()];
        const auto at = std::ranges::find(jobs, job);
        starts_on_[node.index()].erase(starts_on_[node.index()].begin() + (at - jobs.begin()));
        jobs.erase(at);
        if (jobs.empty()) planned_nodes_.erase(node);
    }
    changed_.push_back(job);
    ++plan_version_;
    planned_starts_.erase(job);
}

std::vector<JobId> PlanBook::extend_overdue(Time now, Duration longer) {
    std::vector<JobId> overdue;
    while (!ends_.expected.empty() && ends_.expected.begin()->first <= now) {
        const JobId job = ends_.expected.begin()->second;
        PlannedReservation planned_reservation = running_.at(job);
        remove(job);
        planned_reservation.end = end_if_late(planned_reservation.due(), now, longer);
        for (const NodeId node : planned_reservation.amounts.nodes()) forget_before(node, now);
        enter(job, std::move(planned_reservation));
        overdue.push_back(job);
    }
    return overdue;
}

std::vector<JobId> EndsOfRuns::over_limit(Time now) const {
    std::vector<JobId> due;
    for (auto at = limits.begin(); at != limits.end() && at->first <= now; ++at)
        due.push_back(at->second);
    return due;
}

std::optional<Time> EndsOfRuns::next_limit(Time now) const {
    const auto next = limits.upper_bound({now, JobId(~std::uint32_t{0})});
    return next == limits.end() ? std::nullopt : std::optional(next->first);
}

// Entries of planned starts that moved or were lifted stay in the heap until they reach its top.
std::vector<JobId> PlanBook::overdue_planned_starts(Time now) {
    std::vector<JobId> overdue;
    while (!starts_.empty() && starts_.front().first <= now) {
        const auto [start, job] = starts_.front();
        std::ranges::pop_heap(starts_, std::greater{});
        starts_.pop_back();
        const PlannedReservation* known = planned_start(job);
        if (known != nullptr && known->start == start) overdue.push_back(job);
    }
    std::ranges::sort(overdue);
    overdue.erase(std::unique(overdue.begin(), overdue.end()), overdue.end());
    for (const JobId job : overdue) {
        starts_.emplace_back(planned_start(job)->start, job);
        std::ranges::push_heap(starts_, std::greater{});
    }
    return overdue;
}

std::optional<Time> PlanBook::next_start(Time now) {
    const std::vector<JobId> overdue = overdue_planned_starts(now);  // Leaves valid entries on top.
    std::vector<std::pair<Time, JobId>> due;
    std::optional<Time> next;
    while (!starts_.empty()) {
        const auto [start, job] = starts_.front();
        const PlannedReservation* known = planned_start(job);
        const bool outdated = known == nullptr || known->start != start;
        if (!outdated && start > now) {
            next = start;
            break;
        }
        std::ranges::pop_heap(starts_, std::greater{});
        starts_.pop_back();
        if (!outdated) due.emplace_back(start, job);
    }
    for (const auto& entry : due) {
        starts_.push_back(entry);
        std::ranges::push_heap(starts_, std::greater{});
    }
    return next;
}

PlannedReservation PlanBook::lift(JobId job) {
    PlannedReservation planned_reservation = planned_starts_.at(job);
    remove(job);
    return planned_reservation;
}

void PlanBook::put(JobId job, PlannedReservation planned_reservation) {
    enter(job, std::move(planned_reservation));
}

std::vector<JobId> PlanBook::take_changed() {
    put_in_order(changed_);
    return std::exchange(changed_, {});
}

bool PlanBook::has_room_for(const PlannedReservation& planned_reservation, Time from) const {
    const Time start = std::max(planned_reservation.start, from);
    if (!licenses_.first_free(planned_reservation.rarely->licenses, start, start,
                              planned_reservation.end - start))
        return false;
    if (!limits_.first_free(planned_reservation.limits, start, start,
                            planned_reservation.end - start))
        return false;
    bool has_room = true;
    planned_reservation.each_booked([&](NodeId node, const Resources& amount) {
        has_room = has_room && fits(amount, timeline(node, planned_reservation.rarely->reservation)
                                                .least_free(start, planned_reservation.end));
    });
    return has_room;
}

bool PlanBook::collides(const PlannedReservation& planned_reservation, Time from) const {
    const Time start = std::max(planned_reservation.start, from);
    if (licenses_.goes_below_zero(planned_reservation.rarely->licenses, start,
                                  planned_reservation.end))
        return true;
    if (limits_.exceeds(planned_reservation.limits, start, planned_reservation.end)) return true;
    return std::ranges::any_of(planned_reservation.amounts, [&](const auto& part) {
        return timeline(part.first, planned_reservation.rarely->reservation)
            .goes_below_zero(start, planned_reservation.end);
    });
}

bool PlanBook::is_used(std::string_view reservation) const {
    bool used = false;
    for (const auto& [end, job] : ends_.expected) {
        used = used || running_.find(job)->rarely->reservation == reservation;
    }
    return used;
}

const Timeline& PlanBook::timeline(NodeId node, const std::string& reservation) const {
    if (reservation.empty()) return timelines_[node.index()];
    const std::pair key(node, reservation);
    const auto known = reserved_.find(key);
    if (known != reserved_.end()) return known->second;
    return reserved_.emplace(key, reservations_.room(reservation, node, timelines_[node.index()]))
        .first->second;
}

// In what is open to all, or in what the reservation keeps.
void PlanBook::change_on(NodeId node, const SharedText& reservation, Span span,
                         const Resources& amount, bool more) {
    if (!reservations_.empty()) reserved_.clear();
    if (reservation.empty()) return change(node, span.start, span.end, amount, more);
    reservations_.change(reservation, node, span, amount, more,
                         [&](Span part, const Resources& some, bool add) {
                             change(node, part.start, part.end, some, add);
                         });
}

void PlanBook::change_timelines(const PlannedReservation& planned_reservation, bool more) {
    const Span span{planned_reservation.start, planned_reservation.end};
    planned_reservation.each_booked([&](NodeId node, const Resources& amount) {
        change_on(node, planned_reservation.rarely->reservation, span, amount, more);
    });
    const Time counted_from =
        planned_reservation.running() ? Time::min() : planned_reservation.start;
    if (more) {
        limits_.give_back(counted_from, planned_reservation.end, planned_reservation.limits);
        licenses_.give_back(planned_reservation.start, planned_reservation.end,
                            planned_reservation.rarely->licenses);
    } else {
        limits_.book(counted_from, planned_reservation.end, planned_reservation.limits);
        licenses_.book(planned_reservation.start, planned_reservation.end,
                       planned_reservation.rarely->licenses);
    }
}

}  // namespace berth
