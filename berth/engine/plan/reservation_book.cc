#include "berth/engine/plan/reservation_book.h"

#include <algorithm>

namespace berth {
namespace {

// Splits a span into its parts within the windows and those outside of them.
template <class Inside, class Outside>
void cut(Span span, const std::vector<Span>& windows, Inside inside, Outside outside) {
    Time at = span.start;
    for (const Span& window : windows) {
        const Time from = std::max(at, window.start);
        const Time until = std::min(span.end, window.end);
        if (from >= until) continue;
        if (at < from) outside(Span{at, from});
        inside(Span{from, until});
        at = until;
    }
    if (at < span.end) outside(Span{at, span.end});
}

Resources negative_part(Resources amount) {
    for (std::uint32_t i = 0; i < kDimensionsMax; ++i) {
        amount[DimensionId(i)] = std::min<std::int64_t>(amount[DimensionId(i)], 0);
    }
    return amount;
}

// If a reservation was made smaller than what its running jobs hold, the excess is taken from what
// is open to all.
void change_excess(const Timeline& room, Span part, const ReservationBook::Open& open, bool more) {
    for (std::size_t i = room.step_at(part.start); i < room.size(); ++i) {
        if (room.start(i) >= part.end) break;
        const Resources missing = negative_part(room.free_at(room.start(i)));
        if (missing.is_zero()) continue;
        const Span step{std::max(part.start, room.start(i)), std::min(part.end, room.end(i))};
        open(step, missing, !more);  // `missing` is negative, so booking it gives back.
    }
}

}  // namespace

std::vector<Span> spans_of(const Reservation& reservation) {
    std::vector<Span> spans;
    const Duration length = after(reservation.end, kReservationGrace) - reservation.start;
    Time start = reservation.start;
    while (spans.size() < kOccurrencesMax) {
        const Span next{start, after(start, length)};
        if (!spans.empty() && next.start <= spans.back().end) {
            spans.back().end = next.end;  // Occurrences without a gap between them are joined.
        } else {
            spans.push_back(next);
        }
        if (reservation.repeat == Repeat::never || next.end == kNever) break;
        start = next_start(reservation, start);
        if (start > spans.front().start + std::chrono::hours(24 * 366)) break;
    }
    return spans;
}

const ReservationBook::Kept* ReservationBook::find(std::string_view name) const {
    const auto at = all_.find(name);
    return at == all_.end() ? nullptr : &at->second;
}

void ReservationBook::add(const Reservation& reservation) {
    Kept kept{.reservation = reservation, .spans = spans_of(reservation), .rooms = {}};
    for (const auto& [node, amount] : reservation.amounts) {
        Timeline room{Resources{}};
        for (const Span& span : kept.spans) {
            room.give_back(span.start, span.end, amount);
        }
        kept.rooms.emplace(node, std::move(room));
    }
    all_.insert_or_assign(reservation.name, std::move(kept));
}

void ReservationBook::take_from(std::vector<Timeline>& open) const {
    for (const auto& [name, kept] : all_) {
        for (const auto& [node, amount] : kept.reservation.amounts) {
            for (const Span& span : kept.spans) {
                open[node.index()].book(span.start, span.end, amount);
            }
        }
    }
}

void ReservationBook::change(std::string_view name, NodeId node, Span span, const Resources& amount,
                             bool more, const Open& open) {
    const auto at = all_.find(name);
    if (at == all_.end()) return open(span, amount, more);
    const auto room = at->second.rooms.find(node);
    if (room == at->second.rooms.end()) return open(span, amount, more);
    const auto within = [&](Span part) {
        change_excess(room->second, part, open, true);
        if (more) {
            room->second.give_back(part.start, part.end, amount);
        } else {
            room->second.book(part.start, part.end, amount);
        }
        change_excess(room->second, part, open, false);
    };
    cut(span, at->second.spans, within, [&](Span part) { open(part, amount, more); });
}

// For maintenance reservations and those that may overlap others: their own part of the node is
// theirs, whatever other reservations hold.
void ReservationBook::give_back_others(const Kept& own, NodeId node, Timeline& open) const {
    for (const auto& [name, kept] : all_) {
        if (&kept == &own) continue;
        for (const auto& [other, amount] : kept.reservation.amounts) {
            if (other != node) continue;
            for (const Span& span : kept.spans) open.give_back(span.start, span.end, amount);
        }
    }
}

// Within the reservation's time: its part, less its own jobs, less what other jobs hold beyond the
// unreserved rest. Outside of it: nothing or, with FLEX, what is open to all.
Timeline ReservationBook::room(std::string_view name, NodeId node, const Timeline& open) const {
    const Kept* kept = find(name);
    if (kept == nullptr) return Timeline(Resources{});
    const bool flex = kept->reservation.flex;
    const auto of_node = kept->rooms.find(node);
    if (of_node == kept->rooms.end()) return flex ? open : Timeline(Resources{});
    Timeline others = open;
    if (kept->reservation.maint || kept->reservation.overlap) {
        give_back_others(*kept, node, others);
    }
    Timeline room(Resources{});
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Resources free = others.free_at(others.start(i));
        const auto within = [&](Span part) {
            room.give_back(part.start, part.end, negative_part(free));
        };
        const auto outside = [&](Span part) {
            if (flex) room.give_back(part.start, part.end, free);
        };
        cut({others.start(i), others.end(i)}, kept->spans, within, outside);
    }
    const Timeline& own = of_node->second;
    for (std::size_t i = 0; i < own.size(); ++i) {
        room.give_back(own.start(i), own.end(i), own.free_at(own.start(i)));
    }
    return room;
}

}  // namespace berth
