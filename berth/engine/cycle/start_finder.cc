#include "berth/engine/cycle/start_finder.h"

#include <algorithm>

#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/placement/affinity.h"
#include "berth/engine/plan/close_look.h"
#include "berth/engine/plan/plan_search.h"

namespace berth {

std::optional<Found> StartFinder::find(const PendingJob& job, Time from, Time latest) {
    was_limited_ = job.waits_ahead();
    if (!cycle_.state().quota().enforced()) return find_open(job, from, latest);
    if (job.waits_ahead()) from = std::max(from, cycle_.now() + Duration(1));
    LimitTimes times = limit_times_of(job);
    auto found =
        times.search(from, latest, [&](Time at, Time last) { return find_open(job, at, last); });
    was_limited_ = was_limited_ || times.bounded();
    return found;
}

std::optional<Time> StartFinder::first_within_limits(const PendingJob& job, Time from,
                                                     Time latest) const {
    if (job.waits_ahead()) from = std::max(from, cycle_.now() + Duration(1));
    LimitTimes times = limit_times_of(job);
    const PlannedReservation* const planned = cycle_.book().planned_start(job.id);
    if (planned != nullptr) times.beside(planned->start);
    return times.first(from, latest);
}

LimitTimes StartFinder::limit_times_of(const PendingJob& job) const {
    const LimitBook& limits = cycle_.book().limits();
    return berth::limit_times_of(cycle_.state(), limits, job,
                                 known_limit_use_of(cycle_.state(), limits, job), cycle_.now());
}

bool StartFinder::allowed_now(const PendingJob& job, Duration length) const {
    if (!cycle_.state().quota().enforced()) return true;
    const LimitBook& limits = cycle_.book().limits();
    const Time now = cycle_.now();
    const Duration held = held_length(cycle_.scheduling(), job.shape->demand(), length);
    return limits.first_free(known_limit_use_of(cycle_.state(), limits, job), now, now, held)
        .has_value();
}

std::optional<Found> StartFinder::find_open(const PendingJob& job, Time from, Time latest) {
    cycle_.prefer_for(job);
    if (!cycle_.derived().holds.empty()) return find_among(open_to(job), job, from, latest);
    return find_among(cycle_.derived().usable, job, from, latest);
}

std::optional<Found> StartFinder::find_among(const BitSet& nodes, const PendingJob& job, Time from,
                                             Time latest) {
    return find_among(nodes, job, *job.shape, from, latest);
}

std::optional<Found> StartFinder::find_among(const BitSet& nodes, const PendingJob& job,
                                             const Shape& shape, Time from, Time latest) {
    if (!shape.kind->has_affinities) return search_on(nodes, shape, {}, from, latest);
    const Job& record = *cycle_.state().find_job(job.id);
    for (const bool preferred : {true, false}) {
        if (preferred && (from > cycle_.now() || !has_preferences(record))) continue;
        const BitSet wished = nodes_as_wished(cycle_.state(), record, nodes, preferred);
        auto found =
            search_on(wished, shape, {&record, preferred}, from, preferred ? cycle_.now() : latest);
        if (found || !preferred) return found;
    }
    return std::nullopt;
}

std::optional<Found> StartFinder::find_now(const PendingJob& job, Duration length) {
    if (!allowed_now(job, length)) return std::nullopt;
    cycle_.prefer_for(job);
    const Shape run{.kind = job.shape->kind, .length = length};
    return find_among(open_to(job), job, run, cycle_.now(), cycle_.now());
}

std::optional<Found> StartFinder::find_longest_now(const PendingJob& pending, Duration least,
                                                   Duration& length) {
    const Time now = cycle_.now();
    const Shape& shape = *pending.shape;
    const auto find = [&](Duration some) { return find_now(pending, some); };
    Duration high = shape.length;
    const std::optional<Time>& deadline = cycle_.state().find_job(pending.id)->spec.deadline;
    if (deadline) high = std::min(high, *deadline - now);
    if (high < least) return std::nullopt;
    length = high;
    std::optional<Found> best = find(high);
    if (best) return best;
    best = find(length = least);
    if (!best) return std::nullopt;
    constexpr Duration kOneMinute = std::chrono::minutes(1);
    high = std::min<Duration>(high, std::chrono::hours(24 * 366));
    while (high - length > kOneMinute) {  // `length` fits, `high` does not.
        const Duration middle =
            length + std::max<Duration>(kOneMinute, (high - length) / kOneMinute / 2 * kOneMinute);
        if (auto found = find(middle)) {
            best = std::move(found);
            length = middle;
        } else {
            high = middle;
        }
    }
    return best;
}

// With --switches, searches within that many switches first, and anywhere once the job has waited
// long enough.
std::optional<Found> StartFinder::search_on(const BitSet& usable, const Shape& shape, Wishes wishes,
                                            Time from, Time latest) {
    const Kind& kind = *shape.kind;
    if (!kind.relaxed) return search_on(usable, kind.demand, shape, wishes, from, latest);
    if (from < kind.relaxed_from) {
        const Time near_until = std::min(latest, kind.relaxed_from - Duration(1));
        auto found = search_on(usable, kind.demand, shape, wishes, from, near_until);
        if (found || latest < kind.relaxed_from) return found;
    }
    return search_on(usable, *kind.relaxed, shape, wishes, std::max(from, kind.relaxed_from),
                     latest);
}

// An immediate start needs the time limit; a later one also the slack of a planned start.
std::optional<Found> StartFinder::search_on(const BitSet& usable, const Demand& demand,
                                            const Shape& shape, Wishes wishes, Time from,
                                            Time latest) {
    const Time now = cycle_.now();
    if (from <= now && latest >= now) {
        auto found = search_now(usable, demand, shape, wishes);
        if (found || latest <= now) return found;
    }
    const ClassRequirements* known = &bounds_.requirements(*shape.kind);
    const Duration length = booked_length(cycle_.scheduling(), shape.demand(), shape.length);
    const Time later = std::max(from, now + Duration(1));
    return find_start(demand, {later, latest, length}, cycle_.book(), usable, cycle_.preference(),
                      known);
}

std::optional<Found> StartFinder::search_now(const BitSet& usable, const Demand& demand,
                                             const Shape& shape, Wishes wishes) {
    const Time now = cycle_.now();
    const Duration length = held_length(cycle_.scheduling(), demand, shape.length);
    const SharedLook look{cycle_.state(), cycle_.book(), now, length, wishes.of, wishes.preferred};
    if (needs_close_look(demand)) {
        return find_by_close_look(demand, look, usable, cycle_.preference(),
                                  cycle_.derived().topologies);
    }
    return find_start(demand, {now, now, length, true}, cycle_.book(), usable, cycle_.preference(),
                      &bounds_.requirements(*shape.kind));
}

bool StartFinder::has_licenses_now(const PendingJob& job) const {
    Found found;
    const Demand& demand = job.shape->demand();
    const Duration held = held_length(cycle_.scheduling(), demand, job.shape->length);
    return take_licenses(demand.licenses, cycle_.book(), {cycle_.now(), cycle_.now(), held}, found);
}

BitSet StartFinder::open_to(const PendingJob& job) const {
    return cycle_.derived().holds.open_to(job.id, cycle_.derived().usable);
}

}  // namespace berth
