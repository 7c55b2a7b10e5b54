#include "berth/engine/cycle/start_bounds.h"

#include <algorithm>

#include "berth/engine/plan/plan_search.h"

namespace berth {

const ClassRequirements& StartBounds::requirements(Kind& kind) {
    if (kind.requirements.generation != cycle_.book().generation()) {
        kind.requirements = requirements_of(kind.demand, cycle_.state().spec(), cycle_.book());
    }
    return kind.requirements;
}

Time StartBounds::fresh_hope(Shape& shape, Time before) {
    const Time now = cycle_.now();
    if (shape.kind->needs_a_look()) return now;  // Free slots do not tell.
    const PlanBook& book = cycle_.book();
    if (shape.hope_at != book.fresh_version()) {
        const ClassRequirements& known = requirements(*shape.kind);
        const Time least = least_fresh_offer(shape.demand(), now, shape.length, book, known);
        if (least >= before) return least;
        const Window window{now, kNever, shape.length};
        const auto offer = fresh_offer(shape.demand(), window, book, cycle_.derived().usable,
                                       cycle_.state().spec(), &known);
        shape.hope = offer.value_or(kNever);
        shape.hope_at = book.fresh_version();
    }
    return std::max(shape.hope, now);
}

Time StartBounds::tightened(Shape& shape) {
    Time hope = fresh_hope(shape, shape.bound);
    // One fresh node does not help a job of several nodes.
    if (hope < shape.bound && shape.demand().nodes_min > 1) {
        hope = std::max(hope, earliest_from(cycle_.now(), shape));
    }
    shape.bound = std::min(shape.bound, hope);
    shape.bound_at = cycle_.book().last_release();
    return shape.bound;
}

Time StartBounds::earliest_from(Time from, const Shape& shape) {
    Kind& kind = *shape.kind;
    if (kind.needs_a_look() || kind.has_affinities || !requirements(kind).known) return from;
    const Window window{from, kNever, shape.length};
    return earliest_room(kind.demand, kind.demand.nodes_min, window, cycle_.book(),
                         cycle_.derived().usable, requirements(kind))
        .value_or(kNever);
}

}  // namespace berth
