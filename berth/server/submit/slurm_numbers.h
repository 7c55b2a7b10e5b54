// SlurmNumbers: what scripts of Slurm sites know as slurm.NO_VAL, slurm.ERROR, slurm.ESLURM_…, and
// the text that Slurm's commands print for an error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "berth/server/submit/script_value.h"

namespace berth {

inline constexpr std::int64_t kSlurmNoValue = 0xffff'fffe, kSlurmInfinite = 0xffff'ffff;
inline constexpr std::int64_t kSlurmNoValue16 = 0xfffe, kSlurmInfinite16 = 0xffff;
// Beyond Lua's integers: numbers in floating point, as Slurm hands them to Lua.
inline constexpr double kSlurmNoValue64 = 18446744073709551614.0;
inline constexpr double kSlurmMemoryPerCpu = 9223372036854775808.0;
inline constexpr std::int64_t kSlurmNiceOffset = 0x8000'0000;

// Fields of the global table `slurm`.
std::span<const ScriptConstant> slurm_constants();

// "Invalid qos specification"; one that Slurm does not know is "Unknown error 4711".
std::string slurm_error_text(std::int64_t number);

}  // namespace berth
