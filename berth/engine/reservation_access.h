// Who may use a reservation.
#pragma once

#include "berth/model/job.h"
#include "berth/model/reservation.h"

namespace berth {

// Of users and groups one must fit, of accounts one, of QOS one; where a list is empty, all do.
bool may_use(const Reservation& reservation, const Job& job);

}  // namespace berth
