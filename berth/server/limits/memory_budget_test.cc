#include "berth/server/limits/memory_budget.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(RequestMemoryBudget, NobodyGetsMoreThanHisShareAndAllNoMoreThanThereIs) {
    RequestMemoryBudget room(10, 4);
    EXPECT_TRUE(room.take("a", 3));
    EXPECT_FALSE(room.take("a", 2)) << "his share is 4";
    EXPECT_TRUE(room.take("a", 1));
    EXPECT_TRUE(room.take("b", 4));
    EXPECT_FALSE(room.take("c", 3)) << "2 are left";
    EXPECT_TRUE(room.take("c", 2));
    EXPECT_FALSE(room.take("d", 1));
}

TEST(RequestMemoryBudget, WhatIsGivenBackCanBeTakenAgain) {
    RequestMemoryBudget room(4, 4);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(room.take("a", 4));
        EXPECT_FALSE(room.take("b", 1));
        room.give("a", 1);
        EXPECT_TRUE(room.take("b", 1));
        room.give("a", 3);
        room.give("b", 1);
        room.give("c", 0);
    }
}

TEST(RequestMemoryBudget, TheLargestNumberIsRefused) {
    RequestMemoryBudget room(10, 4);
    ASSERT_TRUE(room.take("a", 1));
    EXPECT_FALSE(room.take("a", ~std::uint64_t{0}));
    EXPECT_FALSE(room.take("b", ~std::uint64_t{0}));
}

}  // namespace
}  // namespace berth
