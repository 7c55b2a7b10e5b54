// The reservations of `scontrol show reservation -o` as the calls that make them here.
#pragma once

#include <string_view>
#include <vector>

#include "berth/api/messages.h"
#include "berth/slurm/moving/remark.h"

namespace berth::slurm {

struct MovedReservation {
    std::size_t line = 0;
    api::ReservationCall call;  // With a start and an end; one that has begun starts before now.
};

struct MovedReservations {
    std::vector<MovedReservation> reservations;
    Remarks remarks;
};

// Times are those of this machine's time zone, as Slurm printed them in its own.
MovedReservations read_reservations(std::string_view text, Time now);

}  // namespace berth::slurm
