#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Qssf, GoesByLengthTimesGpus) {
    EXPECT_EQ(testing::order_of("qssf", {{.name = "a", .gpus = 8, .limit = 1h},  // 8 GPU hours.
                                         {.name = "b", .gpus = 1, .limit = 9h},  // 9
                                         {.name = "c", .gpus = 4, .limit = 9h, .predicted = 30min},
                                         {.name = "d", .cpus = 3, .limit = 1h},  // 3 CPU hours.
                                         {.name = "e", .gpus = 1, .limit = Duration::max()}}),
              "cdabe");
}

}  // namespace
}  // namespace berth
