#include "berth/model/gpu_fault.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

GpuFault xid(std::int64_t code) { return {.kind = GpuFaultKind::xid, .code = code}; }

TEST(GpuFault, OfTheJobsOwnMakingChangesNothing) {
    for (const int code : {13, 31, 43, 45, 69}) EXPECT_EQ(action_for(xid(code)), FaultAction::none);
    EXPECT_EQ(action_for(xid(9999)), FaultAction::none);
}

TEST(GpuFault, ThatIsContainedDrainsAndLetsTheJobGoOn) {
    for (const int code : {63, 74, 94}) EXPECT_EQ(action_for(xid(code)), FaultAction::drain);
    EXPECT_EQ(action_for({.kind = GpuFaultKind::row_remap}), FaultAction::drain);
    EXPECT_EQ(action_for({.kind = GpuFaultKind::told, .text = "hot"}), FaultAction::drain);
}

TEST(GpuFault, ThatTakesTheGpuAwayEndsTheJob) {
    for (const int code : {48, 64, 79, 95, 119}) {
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
