// Reservations: what administrators keep for some users, now or later, each under its name. Each
// begins before it ends.
//
// Only ClusterState changes it. While a checkpoint is open, the old values go to the undo log.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "berth/engine/state/undo.h"

namespace berth {

class Reservations {
    using ByName = std::map<std::string, Reservation, std::less<>>;

public:
    const Reservation* find(std::string_view name) const;  // nullptr: there is none.

    // By name, as pairs of a name and the reservation.
    ByName::const_iterator begin() const { return by_name_.begin(); }
    ByName::const_iterator end() const { return by_name_.end(); }
    std::size_t size() const { return by_name_.size(); }
    bool empty() const { return by_name_.empty(); }

    // Of a snapshot. False: there is one of that name.
    bool add(const Reservation& reservation);

    // Replaces the one of that name.
    void put(const Reservation& reservation, UndoLog& undo);
    void erase(const std::string& name, UndoLog& undo);
    void undo(const ReservationBefore& was);

private:
    void remember(const std::string& name, UndoLog& undo) const;

    ByName by_name_;
};

}  // namespace berth
