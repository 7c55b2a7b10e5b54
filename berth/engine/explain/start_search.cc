#include "berth/engine/explain/start_search.h"

#include <algorithm>

#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/placement/affinity.h"
#include "berth/engine/plan/close_look.h"

namespace berth {

Duration StartSearch::booked_length(const Wanted& wanted) const {
    return berth::booked_length(state_.spec().scheduling, wanted.demand, wanted.length);
}

Duration StartSearch::held_length(const Wanted& wanted) const {
    return berth::held_length(state_.spec().scheduling, wanted.demand, wanted.length);
}

std::optional<Found> StartSearch::earliest(const Wanted& wanted, Time from, Time latest) const {
    if (from > latest) return std::nullopt;
    const BitSet open = derived_.holds.open_to(preference_.job, derived_.usable);
    if (wanted.wishing == nullptr) return earliest_on(open, wanted, from, latest, false);
    for (const bool preferred : {true, false}) {
        if (preferred && (from > now_ || !has_preferences(*wanted.wishing))) continue;
        const BitSet wished = nodes_as_wished(state_, *wanted.wishing, open, preferred);
        auto found = earliest_on(wished, wanted, from, preferred ? now_ : latest, preferred);
        if (found) return found;
    }
    return std::nullopt;
}

std::optional<Found> StartSearch::immediate(const Wanted& wanted) const {
    return earliest(wanted, now_, now_);
}

std::optional<Found> StartSearch::earliest_on(const BitSet& nodes, const Wanted& wanted, Time from,
                                              Time latest, bool preferred) const {
    if (from <= now_) {
        if (auto found = immediate_on(nodes, wanted, preferred)) return found;
    }
    const Time later = std::max(from, now_ + Duration(1));
    if (later > latest) return std::nullopt;
    return find_start(wanted.demand, {later, latest, booked_length(wanted)}, derived_.book, nodes,
                      preference_, wanted.requirements);
}

std::optional<Found> StartSearch::immediate_on(const BitSet& nodes, const Wanted& wanted,
                                               bool preferred) const {
    const Demand& demand = wanted.demand;
    if (!needs_close_look(demand)) {
        return find_start(demand, {now_, now_, held_length(wanted), true}, derived_.book, nodes,
                          preference_, wanted.requirements);
    }
    const SharedLook look{state_,         derived_.book, now_, held_length(wanted),
                          wanted.wishing, preferred};
    return find_by_close_look(demand, look, nodes, preference_, derived_.topologies);
}

}  // namespace berth
