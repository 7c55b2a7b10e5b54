#include "berth/model/gpu_fault.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

GpuFault xid(std::int64_t code) { return {.kind = GpuFaultKind::xid, .code = code}; }

TEST(GpuFault, OfTheJobsOwnMakingChangesNothing) {
    for (const int code : {13, 31, 43, 45, 69, 94, 137}) {
        EXPECT_EQ(action_for(xid(code)), FaultAction::none) << code;
    }
    EXPECT_EQ(action_for(xid(9999)), FaultAction::none);
}

// NVIDIA: to be ignored, the GPU has mended itself, or will at the next reset.
TEST(GpuFault, ThatMendsItselfChangesNothing) {
    for (const int code : {63, 92, 121, 157}) {
        EXPECT_EQ(action_for(xid(code)), FaultAction::none) << code;
    }
}

TEST(GpuFault, ThatIsContainedDrainsAndLetsTheJobGoOn) {
    for (const int code : {74, 78, 144, 150, 155}) {
        EXPECT_EQ(action_for(xid(code)), FaultAction::drain) << code;
    }
    EXPECT_EQ(action_for({.kind = GpuFaultKind::row_remap}), FaultAction::drain);
    EXPECT_EQ(action_for({.kind = GpuFaultKind::told, .text = "hot"}), FaultAction::drain);
}

TEST(GpuFault, ThatTakesTheGpuAwayEndsTheJob) {
    for (const int code : {46, 48, 62, 64, 79, 95, 109, 110, 119, 120, 136, 140, 143, 151, 158}) {
        EXPECT_EQ(action_for(xid(code)), FaultAction::end_job) << code;
    }
    EXPECT_EQ(action_for({.kind = GpuFaultKind::lost}), FaultAction::end_job);
}

TEST(GpuFault, IsDescribedForAReason) {
    EXPECT_EQ(describe(xid(79)), "XID 79: GPU has fallen off the bus");
    EXPECT_EQ(describe(xid(9999)), "XID 9999");
    EXPECT_EQ(describe({.kind = GpuFaultKind::ecc, .code = 3}),
              "3 uncorrectable memory errors since the boot");
    EXPECT_EQ(describe({.kind = GpuFaultKind::told, .text = "too hot"}), "too hot");
}

}  // namespace
}  // namespace berth
