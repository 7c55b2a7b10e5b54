#include "berth/base/counted.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(Counted, OneThingIsNoneOfMany) {
    EXPECT_EQ(counted(0, "nodes"), "0 nodes");
    EXPECT_EQ(counted(1, "nodes"), "1 node");
    EXPECT_EQ(counted(2, "nodes"), "2 nodes");
}

}  // namespace
}  // namespace berth
