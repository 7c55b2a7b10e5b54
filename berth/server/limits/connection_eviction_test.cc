#include "berth/server/limits/connection_eviction.h"

#include <gtest/gtest.h>

#include <vector>

namespace berth {
namespace {

ConnectionSeen of(std::string peer, bool idle, int since) {
    return {std::move(peer), idle,
            std::chrono::steady_clock::time_point(std::chrono::seconds(since))};
}
constexpr bool kIdle = true, kBusy = false;

TEST(GivesWay, TheOneThatHasIdledLongest) {
    const std::vector<ConnectionSeen> all{of("ada", kBusy, 1), of("bob", kIdle, 3),
                                          of("cyd", kIdle, 2), of("dan", kIdle, 4)};
    EXPECT_EQ(connection_eviction(all), 2u);
}

TEST(GivesWay, NobodyWhoIsAtWork) {
    const std::vector<ConnectionSeen> all{of("ada", kBusy, 1), of("bob", kBusy, 3),
                                          of("cyd", kBusy, 2), of("dan", kBusy, 4)};
    EXPECT_EQ(connection_eviction(all), std::nullopt);
    EXPECT_EQ(connection_eviction({}), std::nullopt);
}

TEST(GivesWay, OneOfTheUserWhoHasMoreThanAQuarter) {
    std::vector<ConnectionSeen> all{of("ada", kIdle, 1), of("mal", kBusy, 9), of("mal", kBusy, 5),
                                    of("mal", kBusy, 7), of("bob", kBusy, 2)};
    EXPECT_EQ(connection_eviction(all), 2u) << "at work, and for the longest";
    all[1].idle = true;
    EXPECT_EQ(connection_eviction(all), 2u) << "a new one is idle, too";
}

}  // namespace
}  // namespace berth
