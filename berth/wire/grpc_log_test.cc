#include "berth/wire/grpc_log.h"

#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace berth {
namespace {

TEST(GrpcLog, NobodyFillsTheLogWithFailedHandshakes) {
    limit_grpc_log();
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 1000; ++i) gpr_log(GPR_ERROR, "handshake failed");
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_LE(std::ranges::count(said, '\n'), 20);
}

}  // namespace
}  // namespace berth
