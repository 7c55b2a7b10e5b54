#include "berth/wire/grpc_log.h"

#include <grpc/support/log.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>

namespace berth {
namespace {

constexpr std::uint32_t kLinesAMinute = 20;

void write_some(gpr_log_func_args* line) {
    static std::mutex mutex;
    static std::chrono::steady_clock::time_point began{};
    static std::uint32_t lines = 0;
    const std::lock_guard lock(mutex);
    const auto now = std::chrono::steady_clock::now();
    if (now - began > std::chrono::minutes(1)) {
        began = now;
        lines = 0;
    }
    if (++lines > kLinesAMinute) return;
    std::fprintf(stderr, "gRPC: %s%s\n", line->message,
                 lines == kLinesAMinute ? "; and no more of this for a minute" : "");
}

}  // namespace

void limit_grpc_log() {
    static const bool done = (gpr_set_log_function(write_some), true);
    (void)done;
}

}  // namespace berth
