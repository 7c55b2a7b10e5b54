#include "berth/trust/secrets.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

TEST(Secrets, Base64urlIsThatOfTheStandard) {
    const std::vector<std::pair<std::string, std::string>> cases = {{"", ""},
                                                                    {"f", "Zg"},
                                                                    {"fo", "Zm8"},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg"},
                                                                    {"foobar", "Zm9vYmFy"},
                                                                    {"\xfb\xff\xfe", "-__-"}};
    for (const auto& [bytes, text] : cases) {
        EXPECT_EQ(base64url(bytes), text);
        EXPECT_EQ(from_base64url(text), bytes);
    }
}

TEST(Secrets, WhatIsNoBase64urlIsRefused) {
    for (const char* text : {"Z", "Zg==", "Zm9v\n", "Z+9v", "Zh", "Zm9vYh", "====="})
        EXPECT_EQ(from_base64url(text), std::nullopt) << text;
}

TEST(Secrets, AnyBytesComeBack) {
    testing::for_each_seed(200, [](Rng& rng) {
        std::string bytes(static_cast<std::size_t>(rng.between(0, 99)), '\0');
        for (char& byte : bytes) byte = static_cast<char>(rng.next());
        EXPECT_EQ(from_base64url(base64url(bytes)), bytes);
    });
}

TEST(Secrets, NoTwoAreAlike) {
    std::set<std::string> drawn;
    for (int i = 0; i < 1000; ++i) drawn.insert(random_secret(24));
    EXPECT_EQ(drawn.size(), 1000u);
    EXPECT_EQ(drawn.begin()->size(), 32u);
}

TEST(Secrets, Sha256IsThatOfTheStandard) {
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Secrets, AreEqualOnlyAsAWhole) {
    EXPECT_TRUE(equal_secrets("abc", "abc"));
    EXPECT_FALSE(equal_secrets("abc", "abd"));
    EXPECT_FALSE(equal_secrets("abc", "ab"));
    EXPECT_TRUE(equal_secrets("", ""));
}

}  // namespace
}  // namespace berth
