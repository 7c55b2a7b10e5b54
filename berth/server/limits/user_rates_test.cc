#include "berth/server/limits/user_rates.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

class UserRatesTest : public ::testing::Test {
protected:
    UserRatesTest() { set("rl_enable,rl_bucket_size=3,rl_refill_rate=2,rl_refill_period=10"); }
    void set(std::string text) {
        ClusterSpec with;
        with.settings = {{"SlurmctldParameters", std::move(text)}};
        spec = std::make_shared<const ClusterSpec>(std::move(with));
    }
    int taken(std::uint32_t uid, int second, int times = 100) {
        Principal who;
        who.uid = uid;
        who.role = role;
        int count = 0;
        for (int i = 0; i < times; ++i) {
            count +=
                rates.take(spec, who, UserRates::Clock::time_point(std::chrono::seconds(second)));
        }
        return count;
    }
    std::shared_ptr<const ClusterSpec> spec;
    UserRates rates;
    Role role = Role::user;
};

TEST_F(UserRatesTest, EachUserHasABucketThatFillsAgain) {
    EXPECT_EQ(taken(1, 100), 3);
    EXPECT_EQ(taken(2, 100), 3);
    EXPECT_EQ(taken(1, 109), 0);
    EXPECT_EQ(taken(1, 110), 2);
    EXPECT_EQ(taken(1, 125), 2) << "not a token more for half a period";
    EXPECT_EQ(taken(1, 130), 2);
    EXPECT_EQ(taken(1, 9000), 3);
}

TEST_F(UserRatesTest, AdministratorsAreNotCounted) {
    role = Role::admin;
    EXPECT_EQ(taken(0, 100), 100);
}

TEST_F(UserRatesTest, TheLimitIsTheOneInForce) {
    EXPECT_EQ(taken(1, 100), 3);
    set("rl_enable,rl_bucket_size=3,rl_refill_rate=2,rl_refill_period=10");
    EXPECT_EQ(taken(1, 100), 0) << "the same limit in another configuration";
    set("rl_enable,rl_bucket_size=7");
    EXPECT_EQ(taken(1, 100), 7);
    set("");
    EXPECT_EQ(taken(1, 100), 100);
    spec = std::make_shared<const ClusterSpec>();
    EXPECT_EQ(taken(1, 100), 100);
}

TEST_F(UserRatesTest, RemembersNoMoreUsersThanItMay) {
    set("rl_enable,rl_bucket_size=1,rl_table_size=2");
    EXPECT_EQ(taken(1, 100) + taken(2, 100), 2);
    EXPECT_EQ(taken(3, 100), 100) << "the table is full";
    EXPECT_EQ(taken(3, 101), 1) << "the two others have full buckets again, and are forgotten";
}

}  // namespace
}  // namespace berth
