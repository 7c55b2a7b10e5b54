#include "berth/engine/cycle/limit_times.h"

#include <algorithm>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_terms.h"

namespace berth {

std::optional<Time> LimitTimes::first(Time from, Time latest) const {
    if (from > latest) return std::nullopt;
    if (from <= now_ && latest >= now_) {
        if (book_.first_free(use_, now_, now_, length_, planned_)) return now_;
        from = now_ + Duration(1);
    }
    return book_.first_free(use_, from, latest, booked_, planned_);
}

LimitUse limit_use_of(const ClusterState& state, const LimitBook& book, const PendingJob& pending) {
    const Job& job = *state.find_job(pending.id);
    Kind& kind = *pending.shape->kind;
    return book.use_of(state, job, kind.demand, limit_request_of(state, job, kind));
}

const LimitUse& known_limit_use_of(const ClusterState& state, const LimitBook& book,
                                   const PendingJob& pending) {
    static const LimitUse kNothing;
    if (!state.quota().enforced()) return kNothing;
    const LimitBook::Key key{pending.shape->kind->number, pending.usage_index,
                             state.find_job(pending.id)->qos};
    if (const LimitUse* const known = book.find(key)) return *known;
    return book.keep(key, limit_use_of(state, book, pending));
}

LimitTimes limit_times_of(const ClusterState& state, const LimitBook& book,
                          const PendingJob& pending, LimitUse use, Time now) {
    const Shape& shape = *pending.shape;
    const SchedulingSpec& scheduling = state.spec().scheduling;
    const Duration held = held_length(scheduling, shape.demand(), shape.length);
    const Duration booked = booked_length(scheduling, shape.demand(), shape.length);
    return {book, std::move(use), now, held, booked};
}

}  // namespace berth
