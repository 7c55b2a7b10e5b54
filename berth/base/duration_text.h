// Lengths of time as Slurm reads and prints them: "90", "1:30:00", "2-12:30", "UNLIMITED".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "berth/base/time.h"

namespace berth {

// "90" and "90:30" are minutes and seconds, "1:30:00" starts with hours; behind days it is the
// hours that come first: "2-12", "2-12:30". nullopt: no limit ("UNLIMITED", "INFINITE", "-1").
Result<std::optional<Duration>> parse_time_limit(std::string_view text);

// Slurm keeps limits in minutes: what was asked for in seconds is rounded up at submission.
Duration round_up_to_minute(Duration limit);

// As scontrol and sacct print: "00:30:00", "01:30:00", "2-12:30:00"; nullopt: "UNLIMITED".
// REQUIRES: not negative.
std::string format_duration(Duration length);
std::string format_time_limit(std::optional<Duration> limit);

// As squeue prints, without leading zeros: "0:00", "30:00", "1:30:00", "2-12:30:00"; nullopt:
// "UNLIMITED".
std::string format_duration_short(Duration length);
std::string format_time_limit_short(std::optional<Duration> limit);

// As Go and Kubernetes print, in whole seconds: "45s", "10m0s", "1h30m0s".
std::string format_duration_units(Duration length);

}  // namespace berth
