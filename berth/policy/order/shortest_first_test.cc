#include <gtest/gtest.h>

#include "berth/testing/order_case.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(ShortestFirst, GoesByThePredictionAndNeverBeyondTheLimit) {
    EXPECT_EQ(testing::order_of("shortest_first", {{.name = "a", .limit = 3h},
                                                   {.name = "b", .limit = 1h},
                                                   {.name = "c", .limit = 9h, .predicted = 2h},
                                                   {.name = "d", .limit = 30min, .predicted = 5h},
                                                   {.name = "e", .limit = Duration::max()}}),
              "dbcae");
}

}  // namespace
}  // namespace berth
