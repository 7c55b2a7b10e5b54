// What gRPC itself has to say: passed on, but no more than a few lines a minute, since any stranger
// whose handshake fails makes it write one.
#pragma once

namespace berth {

// For the whole process; once is enough.
void limit_grpc_log();

}  // namespace berth
