#include "berth/server/limits/unauthenticated_rates.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using namespace std::chrono_literals;
using RateClock = UnauthenticatedRates::Clock;

constexpr UnauthenticatedRates::Limits kFew{
    .at_once = 3, .each = 100ms, .patience = 250ms, .hosts = 2};
const RateClock::time_point kNow{};

TEST(UnauthenticatedRates, WhoComesTooOftenWaitsAndThenIsRefused) {
    UnauthenticatedRates rates(kFew);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(rates.came("10.0.0.1", kNow), 0ms);
    EXPECT_EQ(rates.came("10.0.0.1", kNow), 100ms);
    EXPECT_EQ(rates.came("10.0.0.1", kNow), 200ms);
    EXPECT_EQ(rates.came("10.0.0.1", kNow), std::nullopt);
    EXPECT_EQ(rates.came("10.0.0.1", kNow), std::nullopt) << "refusals cost nothing, or a host "
                                                             "that tries again is never heard";
    EXPECT_EQ(rates.came("10.0.0.1", kNow + 200ms), 100ms);
    EXPECT_EQ(rates.came("10.0.0.1", kNow + 10s), 0ms);
}

TEST(UnauthenticatedRates, OtherHostsNoticeNothing) {
    UnauthenticatedRates rates(kFew);
    while (rates.came("10.0.0.1", kNow)) {
    }
    EXPECT_EQ(rates.came("10.0.0.2", kNow), 0ms);
}

TEST(UnauthenticatedRates, WhoShowsAGoodTokenPaysNothing) {
    UnauthenticatedRates rates(kFew);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(rates.came("10.0.0.1", kNow), 0ms) << i;
        rates.proved("10.0.0.1", kNow);
    }
}

TEST(UnauthenticatedRates, WrongTokensEndTheConnectionOnceThereAreTooMany) {
    UnauthenticatedRates rates(kFew);
    EXPECT_EQ(rates.came("10.0.0.1", kNow), 0ms);
    EXPECT_FALSE(rates.refused("10.0.0.1", kNow));
    EXPECT_FALSE(rates.refused("10.0.0.1", kNow));
    EXPECT_TRUE(rates.refused("10.0.0.1", kNow));
    EXPECT_GT(rates.came("10.0.0.1", kNow), 0ms);
    EXPECT_FALSE(rates.refused("10.0.0.1", kNow + 10s));
}

TEST(UnauthenticatedRates, NoNumberOfHostsTakesMoreMemory) {
    UnauthenticatedRates rates(kFew);
    for (const char* const host : {"a", "b", "c", "d"}) EXPECT_EQ(rates.came(host, kNow), 0ms);
    EXPECT_EQ(rates.came("e", kNow), 0ms) << "the third of those that share an account";
    EXPECT_EQ(rates.came("f", kNow), 100ms);
    EXPECT_EQ(rates.came("a", kNow), 0ms) << "it has its own";
    EXPECT_EQ(rates.came("f", kNow + 10s), 0ms) << "the others' accounts are settled by now";
}

TEST(UnauthenticatedRates, AHostIsItsNetwork) {
    EXPECT_EQ(network_of("10.0.0.1"), "10.0.0.1");
    EXPECT_EQ(network_of("::ffff:10.0.0.1"), "10.0.0.1");
    EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
    EXPECT_EQ(network_of("2001:db8:1:2::7"), network_of("2001:db8:1:2:ffff::1"));
}

}  // namespace
}  // namespace berth
