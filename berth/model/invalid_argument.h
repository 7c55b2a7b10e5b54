// The error for a value that a user or a node gave and that cannot be taken.
#pragma once

#include <string>
#include <utility>

#include "berth/base/result.h"

namespace berth {

// `text`: what was wrong, and what would be right.
inline Error invalid_argument(std::string text) {
    return {ErrorCode::invalid_argument, std::move(text)};
}

}  // namespace berth
