#include "berth/host/shepherd/checkpoint_watch.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using std::chrono::milliseconds;

constexpr WallMoment kWarned{1000, 500};

SeenFile file_of(std::int64_t size, WallMoment changed) {
    return {.device = 1, .inode = 7, .size = size, .changed = changed};
}

TEST(CheckpointTest, AFileThatRestsIsComplete) {
    CheckpointTest test(kWarned);
    EXPECT_FALSE(test.is_complete(std::nullopt, milliseconds(0)));
    const SeenFile file = file_of(10, {1001, 0});
    EXPECT_FALSE(test.is_complete(file, milliseconds(100)));
    EXPECT_FALSE(test.is_complete(file, milliseconds(1099)));
    EXPECT_TRUE(test.is_complete(file, milliseconds(1100)));
}

TEST(CheckpointTest, WhatIsNewIsKnownBeforeItRests) {
    CheckpointTest test(kWarned);
    EXPECT_FALSE(test.is_complete(file_of(10, {999, 0}), milliseconds(0)));
    EXPECT_FALSE(test.is_new());
    EXPECT_FALSE(test.is_complete(file_of(10, {1001, 0}), milliseconds(100)));
    EXPECT_TRUE(test.is_new());
    EXPECT_FALSE(test.is_complete(std::nullopt, milliseconds(200)));
    EXPECT_FALSE(test.is_new());
}

TEST(CheckpointTest, AFileThatGrowsIsNotComplete) {
    CheckpointTest test(kWarned);
    for (int i = 0; i < 50; ++i)
        EXPECT_FALSE(test.is_complete(file_of(10 + i, {1001 + i, 0}), milliseconds(900 * i)));
    EXPECT_FALSE(test.is_complete(file_of(59, {1050, 1}), milliseconds(45'000)))
        << "of the same size, but written to again";
    EXPECT_TRUE(test.is_complete(file_of(59, {1050, 1}), milliseconds(46'000)));
}

TEST(CheckpointTest, AnOlderFileDoesNotCount) {
    CheckpointTest test(kWarned);
    const SeenFile old = file_of(10, {1000, 499});
    EXPECT_FALSE(test.is_complete(old, milliseconds(0)));
    EXPECT_FALSE(test.is_complete(old, milliseconds(60'000)));
    const SeenFile saved = file_of(10, kWarned);
    EXPECT_FALSE(test.is_complete(saved, milliseconds(60'100)));
    EXPECT_FALSE(test.is_complete(old, milliseconds(60'900))) << "the older one again";
    EXPECT_FALSE(test.is_complete(saved, milliseconds(61'200)));
    EXPECT_TRUE(test.is_complete(saved, milliseconds(62'200)));
}

TEST(CheckpointTest, AFileSystemMayKeepWholeSeconds) {
    CheckpointTest test(kWarned);
    EXPECT_FALSE(test.is_complete(file_of(10, {1000, 0}), milliseconds(0)));
    EXPECT_TRUE(test.is_complete(file_of(10, {1000, 0}), milliseconds(1000)));
    CheckpointTest older(kWarned);
    EXPECT_FALSE(older.is_complete(file_of(10, {999, 0}), milliseconds(0)));
    EXPECT_FALSE(older.is_complete(file_of(10, {999, 0}), milliseconds(1000)));
}

// The clock of the file server is behind, or the file was moved there with its time.
TEST(CheckpointTest, AFileThatWasNotThereOrDiffersIsNew) {
    CheckpointTest moved(kWarned);
    EXPECT_FALSE(moved.is_complete(file_of(10, {900, 0}), milliseconds(0)));
    SeenFile other = file_of(10, {950, 0});
    EXPECT_FALSE(moved.is_complete(other, milliseconds(100)));
    EXPECT_TRUE(moved.is_complete(other, milliseconds(1100)));
    CheckpointTest first(kWarned);
    EXPECT_FALSE(first.is_complete(std::nullopt, milliseconds(0)));
    EXPECT_FALSE(first.is_complete(other, milliseconds(100)));
    EXPECT_TRUE(first.is_complete(other, milliseconds(1100)));
}

TEST(CheckpointTest, AFileThatGoesAwayIsNotComplete) {
    CheckpointTest test(kWarned);
    const SeenFile file = file_of(10, {1001, 0});
    EXPECT_FALSE(test.is_complete(file, milliseconds(0)));
    EXPECT_FALSE(test.is_complete(std::nullopt, milliseconds(900)));
    EXPECT_FALSE(test.is_complete(file, milliseconds(1000)));
    EXPECT_TRUE(test.is_complete(file, milliseconds(2000)));
}

}  // namespace
}  // namespace berth
