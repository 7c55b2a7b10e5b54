#include "berth/engine/state/reservations.h"

#include <utility>

#include "berth/base/assert.h"

namespace berth {

const Reservation* Reservations::find(std::string_view name) const {
    const auto at = by_name_.find(name);
    return at == by_name_.end() ? nullptr : &at->second;
}

bool Reservations::add(const Reservation& reservation) {
    return by_name_.try_emplace(reservation.name, reservation).second;
}

void Reservations::put(const Reservation& reservation, UndoLog& undo) {
    BERTH_ASSERT(reservation.start < reservation.end);
    remember(reservation.name, undo);
    by_name_.insert_or_assign(reservation.name, reservation);
}

void Reservations::erase(const std::string& name, UndoLog& undo) {
    remember(name, undo);
    by_name_.erase(name);
}

void Reservations::remember(const std::string& name, UndoLog& undo) const {
    if (!undo.recording()) return;
    const Reservation* const known = find(name);
    undo.record(ReservationBefore{
        name, known == nullptr ? nullptr : std::make_shared<const Reservation>(*known)});
}

void Reservations::undo(const ReservationBefore& was) {
    if (was.reservation == nullptr) {
        by_name_.erase(was.name);
    } else {
        by_name_.insert_or_assign(was.name, *was.reservation);
    }
}

}  // namespace berth
