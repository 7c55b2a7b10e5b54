// TimeFormat: how commands print times, as SLURM_TIME_FORMAT says: "standard", "relative", or what
// strftime takes.
#pragma once

#include <ctime>
#include <string>

#include "berth/base/time.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// For this process, from here on. Anything that strftime makes nothing of is taken as "standard".
void use_time_format(const Invocation& call);

// In this machine's time zone.
std::tm broken_down(Time at);
std::string formatted_time(Time at, const char* strftime_format);

// "17:10:37", "Ystday 17:10", "Tomorr 17:10", "Fri 17:10", "3 Nov 17:10", "3 Nov 2025".
std::string relative_time_text(Time at, Time now);

// As the format in use says.
std::string time_in_format(Time at, Time now);

}  // namespace berth::slurm
