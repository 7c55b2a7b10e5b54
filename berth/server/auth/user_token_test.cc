#include "berth/server/auth/user_token.h"

#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "berth/testing/seeds.h"
#include "berth/trust/secrets.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

const Time kTokenNow = from_seconds(1'800'000'000);

SigningKeys keys() { return *SigningKeys::of(*make_signing_key()); }

UserToken ada() {
    return {.user = "ada",
            .uid = 1001,
            .audience = "lab",
            .issued_at = kTokenNow,
            .expires_at = kTokenNow + 30min,
            .id = "x"};
}

std::string why(const std::string& text, const SigningKeys& by, Time now = kTokenNow,
                std::string_view audience = "lab") {
    const auto read = read_user_token(text, by, audience, now);
    return read.ok() ? "" : read.error().message;
}

// The same claims under another header, signed by the same key.
std::string with_header(const std::string& header, const std::string& token,
                        const SigningKeys& by) {
    const std::vector<std::string_view> parts = split(token, '.');
    const std::string text = base64url(header) + '.' + std::string(parts[1]);
    return text + '.' + base64url(by.sign(text));
}

TEST(UserToken, SaysWhoseItIs) {
    const SigningKeys own = keys();
    const auto read = read_user_token(write_user_token(ada(), own), own, "lab", kTokenNow);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->user, "ada");
    EXPECT_EQ(read->uid, 1001u);
    EXPECT_EQ(read->expires_at, kTokenNow + 30min);
    EXPECT_FALSE(read->job);
}

TEST(UserToken, IsForItsTimeAndItsClusterAlone) {
    const SigningKeys own = keys();
    const std::string token = write_user_token(ada(), own);
    EXPECT_EQ(why(token, own, kTokenNow + 29min), "");
    EXPECT_NE(why(token, own, kTokenNow + 30min).find("expired"), std::string::npos);
    EXPECT_NE(why(token, own, kTokenNow - 1h).find("future"), std::string::npos);
    EXPECT_NE(why(token, own, kTokenNow, "other").find("cluster 'lab'"), std::string::npos);
}

TEST(UserToken, IsVoidOnceItsKeyIsGone) {
    const std::string first = *make_signing_key(), second = *make_signing_key();
    const std::string token = write_user_token(ada(), *SigningKeys::of(first));
    EXPECT_EQ(why(token, *SigningKeys::of(second, first)), "") << "the old key is still believed";
    EXPECT_NE(why(token, *SigningKeys::of(second)).find("not signed by a key"), std::string::npos);
}

TEST(UserToken, TakesNoOtherAlgorithmWhateverSignedIt) {
    const SigningKeys own = keys();
    const std::string token = write_user_token(ada(), own);
    for (const std::string alg : {"none", "HS256", "RS256", "eddsa", ""}) {
        const std::string other = with_header(
            R"({"alg":")" + alg + R"(","typ":"JWT","kid":")" + own.id() + R"("})", token, own);
        EXPECT_NE(why(other, own).find("and not EdDSA"), std::string::npos) << alg;
    }
    EXPECT_NE(why(with_header(R"({"alg":"EdDSA"})", token, own), own).find("'kid'"),
              std::string::npos);
    const std::vector<std::string_view> parts = split(token, '.');
    EXPECT_NE(why(std::string(parts[0]) + "." + std::string(parts[1]) + ".", own), "");
}

TEST(UserToken, AChangedLetterAnywhereMakesItVoid) {
    const SigningKeys own = keys();
    const std::string token = write_user_token(ada(), own);
    for (std::size_t i = 0; i < token.size(); ++i) {
        std::string other = token;
        other[i] = other[i] == 'A' ? 'B' : 'A';
        EXPECT_NE(why(other, own), "") << "letter " << i;
    }
}

TEST(UserToken, ItsTimeIsLookedAtBeforeItsSignature) {
    const SigningKeys own = keys();
    std::string forged = write_user_token(ada(), own);
    forged.replace(forged.rfind('.') + 1, 4, "AAAA");
    EXPECT_NE(why(forged, own, kTokenNow).find("not signed by a key"), std::string::npos);
    EXPECT_NE(why(forged, own, kTokenNow + 1h).find("expired"), std::string::npos);
}

TEST(UserToken, GarbageIsNone) {
    const SigningKeys own = keys();
    for (const std::string text : {"", ".", "..", "...", "a.b.c", "e30.e30.e30"})
        EXPECT_NE(why(text, own), "") << text;
    EXPECT_NE(why(std::string(100'000, 'a'), own).find("too long"), std::string::npos);
    testing::for_each_seed(300, [&](Rng& rng) {
        std::string text;
        for (std::int64_t n = rng.between(0, 200); n > 0; --n)
            text += "abcABC019-_.{}\"="[rng.between(0, 15)];
        EXPECT_NE(why(text, own), "");
    });
}

}  // namespace
}  // namespace berth
