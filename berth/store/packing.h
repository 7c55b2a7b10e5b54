// Packing: compresses bytes for the state file if that saves space. Scripts, environments and
// records are repetitive, and bytes that need not be written delay no commit.
#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"

namespace berth {

std::string pack(std::string_view bytes);

// Rejects what pack() has not made.
Result<std::string> unpack(std::string_view packed);

}  // namespace berth
