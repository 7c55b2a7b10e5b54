// Memory sizes as Slurm reads and prints them: "4000" (MiB), "16G", "62.50G".
#pragma once

#include <string>
#include <string_view>

#include "berth/base/quantity.h"
#include "berth/base/result.h"

namespace berth {

// "4000" is MiB; K, M, G, T and P, in either case and with or without a B, are units of 1024.
Result<Bytes> parse_size(std::string_view text);

// As in a TRES list: the largest unit in which the size is whole or a half, "16000M", "250G",
// "62.50G"; "0" for nothing. Slurm counts memory in MiB: less than one is rounded up.
std::string format_size(Bytes size);

// Whole MiB, rounded up: what Slurm stores, and prints where it prints no unit.
std::int64_t in_mib(Bytes size);

}  // namespace berth
