#include "berth/trust/revocations.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace berth {
namespace {

class RevocationsTest : public ::testing::Test {
protected:
    RevocationsTest() {
        std::string name = ::testing::TempDir() + "revoked-XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~RevocationsTest() override { std::filesystem::remove_all(folder_); }

    std::string folder_;
};

TEST_F(RevocationsTest, AreOfWhatWasGivenUntilThenAndOutliveTheProcess) {
    {
        Result<Revocations> all = Revocations::open(folder_);
        ASSERT_TRUE(all.ok()) << all.error().message;
        EXPECT_FALSE(all->is_revoked("gpu1", from_seconds(50)));
        ASSERT_TRUE(all->revoke("gpu1", from_seconds(100)).ok());
        ASSERT_TRUE(all->revoke("gpu2", from_seconds(200)).ok());
        ASSERT_TRUE(all->revoke("gpu2", from_seconds(150)).ok());  // A clock that was set back.
    }
    const Result<Revocations> again = Revocations::open(folder_);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(again->is_revoked("gpu1", from_seconds(100)));
    EXPECT_FALSE(again->is_revoked("gpu1", from_seconds(101)));
    EXPECT_EQ(again->believed_from("gpu1", from_seconds(100)), from_seconds(101)) << "at once";
    EXPECT_EQ(again->believed_from("gpu1", from_seconds(300)), from_seconds(300));
    EXPECT_EQ(again->believed_from("gpu3", from_seconds(1)), from_seconds(1));
    EXPECT_TRUE(again->is_revoked("gpu2", from_seconds(199)));
    EXPECT_FALSE(again->is_revoked("gpu3", from_seconds(1)));
}

TEST_F(RevocationsTest, ADamagedListIsNotTakenForAnEmptyOne) {
    std::ofstream(folder_ + "/revoked") << "gpu1 soon\n";
    std::filesystem::permissions(folder_ + "/revoked", std::filesystem::perms::owner_read |
                                                           std::filesystem::perms::owner_write);
    const Result<Revocations> all = Revocations::open(folder_);
    ASSERT_FALSE(all.ok());
    EXPECT_NE(all.error().message.find("a node and a time"), std::string::npos);
}

TEST_F(RevocationsTest, WhatCannotBeKeptIsNotInForce) {
    Result<Revocations> all = Revocations::open(folder_ + "/missing");
    ASSERT_TRUE(all.ok());
    EXPECT_FALSE(all->revoke("gpu1", from_seconds(100)).ok());
    EXPECT_FALSE(all->is_revoked("gpu1", from_seconds(50)));
}

}  // namespace
}  // namespace berth
