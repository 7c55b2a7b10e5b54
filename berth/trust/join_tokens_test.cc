#include "berth/trust/join_tokens.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using namespace std::chrono_literals;

const Time kNow = from_seconds(1'800'000'000);

std::string why(const Status& status) { return status.ok() ? "" : status.error().message; }

TEST(JoinTokens, LetEachNodeInOnce) {
    JoinTokens tokens;
    const std::string secret = *tokens.create({"gpu1", "gpu2"}, 30min, kNow);
    EXPECT_TRUE(tokens.redeem(secret, "gpu1", kNow).ok());
    EXPECT_TRUE(tokens.redeem(secret, "gpu2", kNow + 29min).ok());
    EXPECT_NE(why(tokens.redeem(secret, "gpu1", kNow)).find("joined with this token already"),
              std::string::npos);
}

TEST(JoinTokens, SayWhyTheyDoNotServe) {
    JoinTokens tokens;
    const std::string secret = *tokens.create({"gpu1"}, 30min, kNow);
    EXPECT_NE(why(tokens.redeem(secret, "gpu2", kNow)).find("not for node 'gpu2'"),
              std::string::npos);
    EXPECT_NE(why(tokens.redeem(secret, "gpu1", kNow + 30min)).find("expired"), std::string::npos);
    EXPECT_NE(why(tokens.redeem("another", "gpu1", kNow)).find("not known"), std::string::npos);
    EXPECT_NE(why(JoinTokens().redeem(secret, "gpu1", kNow)).find("started again"),
              std::string::npos);
    EXPECT_TRUE(tokens.check(secret, "gpu1", kNow).ok()) << "nor does looking";
    EXPECT_TRUE(tokens.redeem(secret, "gpu1", kNow).ok()) << "a wrong try spends nothing";
    EXPECT_FALSE(tokens.check(secret, "gpu1", kNow).ok());
}

TEST(JoinTokens, LiveForADayAtMostAndAreNotWithoutNumber) {
    JoinTokens tokens;
    EXPECT_FALSE(tokens.create({"a"}, 25h, kNow).ok());
    EXPECT_FALSE(tokens.create({"a"}, 0h, kNow).ok());
    EXPECT_FALSE(tokens.create({}, 1h, kNow).ok());
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(tokens.create({"a"}, 1h, kNow).ok());
    EXPECT_FALSE(tokens.create({"a"}, 1h, kNow).ok());
    EXPECT_TRUE(tokens.create({"a"}, 1h, kNow + 26h).ok()) << "the old ones are forgotten";
}

TEST(JoinToken, IsReadAsItWasWritten) {
    const JoinToken token{std::string(32, 'x'), std::string(64, 'a')};
    const auto read = parse_join_token(to_string(token));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->secret, token.secret);
    EXPECT_EQ(read->fingerprint, token.fingerprint);
    for (const std::string& text :
         {std::string(), std::string("x.y"), std::string(97, 'x'), to_string(token) + "a",
          std::string(32, '/') + "." + std::string(64, 'a'),
          std::string(32, 'x') + "." + std::string(64, 'G')})
        EXPECT_FALSE(parse_join_token(text).ok()) << text;
}

}  // namespace
}  // namespace berth
