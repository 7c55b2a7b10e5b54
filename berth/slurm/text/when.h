// When: a moment as Slurm's commands take it: "2026-08-20T17:10", "16:00", "now+2hours",
// "tomorrow", "noon", "0820", "08/20/26". In this machine's time zone.
#pragma once

#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth::slurm {

// A time of day that has gone by today means tomorrow, as in Slurm, unless `past_is_fine`.
Result<Time> parse_when(std::string_view text, Time now, bool past_is_fine = true);

Time midnight_before(Time now);

// What this machine's clock is ahead of UTC by, at that time.
Duration utc_offset_at(Time at);

}  // namespace berth::slurm
