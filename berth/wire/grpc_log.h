// Passes on gRPC's own log lines, limited to a few a minute: any unauthenticated peer whose
// handshake fails causes one.
#pragma once

namespace berth {

// For the whole process; one call is enough.
void limit_grpc_log();

}  // namespace berth
