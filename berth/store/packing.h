// Packing: bytes as they stand in the state file, compressed where that saves something. Scripts,
// environments and records say much of the same again and again; what is not written keeps no
// commit waiting.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

std::string pack(std::string_view bytes);

// Refuses what pack() has not made.
Result<std::string> unpack(std::string_view packed);

}  // namespace berth
