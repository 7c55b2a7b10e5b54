#include "berth/model/rate_limit.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(RateLimit, IsOffUnlessAskedFor) {
    EXPECT_EQ(*rate_limit_of(""), RateLimit());
    EXPECT_FALSE(rate_limit_of("rl_bucket_size=5,idle_on_node_suspend")->on);
}

TEST(RateLimit, TakesSlurmsWords) {
    const auto limit = rate_limit_of(
        "enable_configless, rl_enable,RL_BUCKET_SIZE=50,rl_refill_rate=10,rl_refill_period=3,"
        "rl_table_size=100");
    ASSERT_TRUE(limit.ok());
    EXPECT_EQ(*limit, (RateLimit{true, 50, 10, std::chrono::seconds(3), 100}));
}

TEST(RateLimit, NamesTheWordThatIsWrong) {
    for (const char* const text :
         {"rl_bucket_size=0", "rl_bucket_size", "rl_bucket_size=", "rl_bucket_size=5x",
          "rl_bucket_size=-1", "rl_bucket_size=9999999"}) {
        EXPECT_EQ(rate_limit_of(text).error().message,
                  "rl_bucket_size should be a number from 1 to 1000000")
            << text;
    }
}

}  // namespace
}  // namespace berth
