// Admission of reservations: which nodes, from when to when, for whom; or why not.
#pragma once

#include "berth/engine/admission/objection.h"
#include "berth/engine/cycle/engine.h"
#include "berth/model/reservation_change.h"

namespace berth {

// The reservation as it will be recorded (ReservationSet). An empty name is made up: "alice_1".
// Nodes that are only counted are chosen by the placement function, among those that nobody holds
// or has reserved for that time.
std::variant<Reservation, Refusing> admit_reservation(const Engine& engine, Time now,
                                                      std::string_view name,
                                                      const ReservationChange& change);
std::variant<Reservation, Refusing> admit_reservation_change(const Engine& engine, Time now,
                                                             std::string_view name,
                                                             const ReservationChange& change);

// nullopt: it may be deleted.
std::optional<Refusing> object_to_deletion(const Engine& engine, std::string_view name);

}  // namespace berth
