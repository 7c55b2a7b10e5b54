// scontrol create|update reservation: its KEY=VALUE words as one change.
#pragma once

#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

// The words after "create reservation" or "update": ReservationName=, StartTime=, Users+= …
Result<api::ReservationCall> parse_reservation(const std::vector<std::string>& words, Time now);

// Checks that Slurm's command makes before it calls; Slurm's words, then ours after "scontrol:
// error: ".
Status check_new_reservation(const ReservationChange& change);

// The reservation that the words name: "ReservationName=x" or "reservation=x"; empty: none.
std::string reservation_named(const std::vector<std::string>& words);

}  // namespace berth::slurm
