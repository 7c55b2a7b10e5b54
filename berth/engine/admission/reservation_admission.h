// Admission of reservations: which nodes, from when to when, for which users.
#pragma once

#include "berth/engine/admission/objection.h"
#include "berth/engine/cycle/engine.h"
#include "berth/model/reservation_change.h"

namespace berth {

// The reservation as it will be recorded (ReservationSet), or the refusal. An empty name is
// replaced by a generated one: "alice_1". If only a number of nodes, GPUs or cores is given,
// placement chooses among nodes that are neither in use nor reserved for that time.
std::variant<Reservation, Refusing> admit_reservation(const Engine& engine, Time now,
                                                      std::string_view name,
                                                      const ReservationChange& change);
std::variant<Reservation, Refusing> admit_reservation_change(const Engine& engine, Time now,
                                                             std::string_view name,
                                                             const ReservationChange& change);

// nullopt: it may be deleted.
std::optional<Refusing> object_to_deletion(const Engine& engine, std::string_view name);

}  // namespace berth
