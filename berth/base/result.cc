// Errors in words.
#include "berth/base/result.h"

namespace berth {

std::string_view to_string(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::already_exists: return "already_exists";
        case ErrorCode::failed_precondition: return "failed_precondition";
        case ErrorCode::permission_denied: return "permission_denied";
        case ErrorCode::resource_exhausted: return "resource_exhausted";
        case ErrorCode::unavailable: return "unavailable";
        case ErrorCode::internal: return "internal";
    }
    BERTH_ASSERT(false);
}

Error prefixed(std::string_view where, Error error) {
    error.message.insert(0, where);
    return error;
}

}  // namespace berth
