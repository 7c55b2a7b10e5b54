// Why a run did not begin, as the error that kept it from beginning tells: for want of something of
// the node's, or of the job's.
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

// Of what has nothing to do with the job: whatever goes wrong there is the node's fault.
inline Status on_node(Status done) {
    if (!done.ok() && not_begun_by(done.error()) != NotBegun::for_node)
        return Error{ErrorCode::unavailable, done.error().message};
    return done;
}

// What a shepherd has left instead of a run.
inline Error failure_of(const RunStatus& status) {
    ErrorCode code = ErrorCode::already_exists;
    if (status.not_begun == NotBegun::for_job) code = ErrorCode::failed_precondition;
    if (status.not_begun == NotBegun::for_node) code = ErrorCode::unavailable;
    return {code, status.failure};
}

}  // namespace berth
