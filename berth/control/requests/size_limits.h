// How large a request may be. The server asks this, too, before the controller sees the request.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace berth {

inline constexpr std::size_t kScriptMax = std::size_t{4} << 20;       // As Slurm's max_script_size.
inline constexpr std::size_t kEnvironmentMax = std::size_t{1} << 20;  // All variables together.
inline constexpr std::size_t kArgumentsMax = std::size_t{1} << 20;    // All arguments together.
inline constexpr std::size_t kTextMax = 4096;                         // A name, a path, a comment.
inline constexpr std::size_t kListMax = 65'536;  // A list of hosts, dependencies …
// Of a heterogeneous job: placing more together would take too long.
inline constexpr std::size_t kComponentsMax = 128;

// Why a job cannot have so many components; nullopt: it can.
std::optional<std::string> too_many_components(std::size_t count);

}  // namespace berth
