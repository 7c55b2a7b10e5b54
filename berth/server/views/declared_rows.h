// Rows of what administrators declare: licenses and reservations.
#pragma once

#include "berth/api/messages.h"
#include "berth/server/snapshot/published.h"

namespace berth {

std::vector<api::LicenseRow> license_rows(const Edition& edition);
std::vector<api::ReservationRow> reservation_rows(const Edition& edition);

}  // namespace berth
