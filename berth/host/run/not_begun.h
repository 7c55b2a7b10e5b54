// Why a run did not begin, derived from the error: something is wrong with the node, or with the
// job.
#pragma once

#include "berth/host/run/run_spec.h"

namespace berth {

inline NotBegun not_begun_by(const Error& error) {
    switch (error.code) {
        case ErrorCode::already_exists: return NotBegun::unknown;  // It may have run before.
        case ErrorCode::resource_exhausted:
        case ErrorCode::unavailable:
        case ErrorCode::internal: return NotBegun::for_node;
        default: return NotBegun::for_job;
    }
}

// For work that does not depend on the job: every failure is the node's.
inline Status on_node(Status done) {
    if (!done.ok() && not_begun_by(done.error()) != NotBegun::for_node)
        return Error{ErrorCode::unavailable, done.error().message};
    return done;
}

// The error for a run whose shepherd reported that it did not begin.
inline Error failure_of(const RunStatus& status) {
    ErrorCode code = ErrorCode::already_exists;
    if (status.not_begun == NotBegun::for_job) code = ErrorCode::failed_precondition;
    if (status.not_begun == NotBegun::for_node) code = ErrorCode::unavailable;
    return {code, status.failure};
}

}  // namespace berth
