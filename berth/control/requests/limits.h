// Limits on the size of client requests. An error text states the limit.
#pragma once

#include <cstddef>
#include <optional>

#include "berth/control/turn/command.h"
#include "berth/engine/admission/admission.h"

namespace berth {

inline constexpr std::size_t kScriptMax = std::size_t{4} << 20;       // As Slurm's max_script_size.
inline constexpr std::size_t kEnvironmentMax = std::size_t{1} << 20;  // All variables together.
inline constexpr std::size_t kArgumentsMax = std::size_t{1} << 20;    // All arguments together.
inline constexpr std::size_t kTextMax = 4096;                         // A name, a path, a comment.
inline constexpr std::size_t kListMax = 65'536;  // A list of hosts, dependencies …

// Which field is too large, and its limit. nullopt: none. A job array costs only its list of task
// numbers.
std::optional<Refusing> too_large(const SubmitJob& submission);
std::optional<Refusing> too_large(const UpdateJob& update);
std::optional<Refusing> too_large(const CreateStep& step);
std::optional<Refusing> too_large(const ReservationChange& change);
std::optional<Refusing> too_large(const PartitionChange& change);
std::optional<Refusing> too_large(const NodeChange& change);
std::optional<Refusing> too_large(const NotifyJob& notice);

}  // namespace berth
