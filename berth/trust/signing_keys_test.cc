#include "berth/trust/signing_keys.h"

#include <gtest/gtest.h>

#include "berth/trust/trust_rig.h"

namespace berth {
namespace {

TEST(VerifyingKeys, KnowWhatTheSigningKeysHaveSigned) {
    const std::string old_key = *make_signing_key();
    const SigningKeys old = *SigningKeys::of(old_key);
    const SigningKeys keys = *SigningKeys::of(*make_signing_key(), old_key);
    const VerifyingKeys open = *VerifyingKeys::of(keys.public_keys());
    EXPECT_TRUE(open.verify(keys.id(), "text", keys.sign("text")));
    EXPECT_TRUE(open.verify(old.id(), "text", old.sign("text")));
    EXPECT_FALSE(open.verify(keys.id(), "text", old.sign("text")));
    EXPECT_FALSE(open.verify(keys.id(), "other", keys.sign("text")));
    EXPECT_FALSE(open.verify(keys.id(), "text", ""));
    EXPECT_FALSE(open.knows("0123456789abcdef"));
}

TEST(VerifyingKeys, AreNoPrivateKeysAndNoText) {
    EXPECT_FALSE(VerifyingKeys::of(*make_signing_key()).ok());
    EXPECT_FALSE(VerifyingKeys::of("").ok());
    EXPECT_FALSE(VerifyingKeys::of("-----BEGIN PUBLIC KEY-----\nAAAA\n").ok());
}

TEST(SigningKeys, OfDifferentNamesAreDifferent) {
    const TrustFolder folder;
    const SigningKeys token = *SigningKeys::open(folder.path("keys"));
    const SigningKeys launch = *SigningKeys::open(folder.path("keys"), "launch");
    EXPECT_NE(token.id(), launch.id());
    EXPECT_EQ(SigningKeys::open(folder.path("keys"), "launch")->id(), launch.id());
}

}  // namespace
}  // namespace berth
