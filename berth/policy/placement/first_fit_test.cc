#include <gtest/gtest.h>

#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using FirstFit = testing::SharedGpus;

TEST_F(FirstFit, LeavesItToTheOrderOfTheNodes) {
    EXPECT_EQ(score("first_fit", candidate(32, {1000, 1000, 0, 0}, 1, 500)),
              score("first_fit", candidate(64, {1000, 1000, 1000, 1000}, 1, 500)));
}

}  // namespace
}  // namespace berth
