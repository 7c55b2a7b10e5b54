#include "berth/base/assert.h"

#include <gtest/gtest.h>

#include <optional>

namespace berth {
namespace {

TEST(AssertDeathTest, AFalseConditionEndsTheProcessAndSaysWhere) {
    EXPECT_DEATH(BERTH_ASSERT(1 + 1 == 3), "assert_test.cc:.*1 \\+ 1 == 3");
}

TEST(Assert, ATrueConditionIsLookedAtOnce) {
    int looks = 0;
    BERTH_ASSERT(++looks == 1);
    EXPECT_EQ(looks, 1);
}

TEST(Assert, TakesWhatIsOnlyExplicitlyABool) {
    const std::optional<int> something = 0;
    BERTH_ASSERT(something);
}

}  // namespace
}  // namespace berth
