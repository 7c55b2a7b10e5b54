// Rows of licenses and reservations.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/read_model.h"

namespace berth {

std::vector<api::LicenseRow> license_rows(const Snapshot& snapshot);
std::vector<api::ReservationRow> reservation_rows(const Snapshot& snapshot);

}  // namespace berth
