#include "berth/store/backup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"

namespace berth {
namespace {

using testing::at;
using testing::Folder;
using testing::SmallCluster;

TEST(Backup, ACopyHasTheStateOfItsMoment) {
    const Folder from, to;
    SmallCluster cluster(from.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    for (std::uint32_t id = 1; id <= 50; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    const std::uint64_t hash = cluster.state().hash();
    const auto copy = back_up(from.path(), to.path() + "/copy");
    ASSERT_TRUE(copy.ok()) << copy.error().message;
    EXPECT_EQ(copy->jobs, 50u);
    EXPECT_EQ(copy->next_job, 51u);
    ASSERT_TRUE(cluster.submit(51, at(51)).ok()) << "the controller goes on";
    const auto restored = restore(to.path() + "/copy", to.path(), {.skip_jobs = 10});
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(restored->next_job, 61u);
    const auto again = replay(to.path());
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->hash, hash);
}

TEST(Backup, ARestoredControllerIsLaterThanAllBefore) {
    const Folder from, to;
    {
        SmallCluster cluster(from.path());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        EXPECT_EQ(cluster.opened().first_job, 1u);
    }
    ASSERT_TRUE(back_up(from.path(), to.path() + "/copy").ok());
    for (int start = 0; start < 5; ++start) SmallCluster(from.path());
    const Epoch old = SmallCluster(from.path()).opened().epoch;
    ASSERT_TRUE(restore(to.path() + "/copy", to.path(), {.skip_jobs = 1000}).ok());
    const SmallCluster restored(to.path());
    ASSERT_TRUE(restored.ok()) << restored.error;
    EXPECT_GT(restored.opened().epoch, old);
    EXPECT_EQ(restored.opened().first_job, 1001u);
}

TEST(Backup, WhatAnotherStateHasLeftIsNotMixedIn) {
    const Folder from, to;
    SmallCluster cluster(from.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    ASSERT_TRUE(back_up(from.path(), to.path() + "/copy").ok());
    const std::string left = to.path() + "/berth.db-wal";
    std::ofstream(left) << "frames of a database that was moved away";
    const auto refused = restore(to.path() + "/copy", to.path(), {.skip_jobs = 1});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::already_exists);
    EXPECT_NE(refused.error().message.find(left), std::string::npos);
    std::filesystem::remove(left);
    EXPECT_TRUE(restore(to.path() + "/copy", to.path(), {.skip_jobs = 1}).ok());
}

TEST(Backup, AControllersFileWithoutItsLogIsNoCopy) {
    const Folder from, to;
    SmallCluster cluster(from.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    for (std::uint32_t id = 1; id <= 9; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    ASSERT_TRUE(std::filesystem::exists(from.path() + "/berth.db-wal"));
    const auto refused = restore(from.path() + "/berth.db", to.path(), {});
    ASSERT_FALSE(refused.ok());
    EXPECT_FALSE(std::filesystem::exists(to.path() + "/berth.db"));
}

TEST(Backup, NothingIsRestoredUnderARunningDaemon) {
    const Folder from, to;
    SmallCluster cluster(from.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    ASSERT_TRUE(back_up(from.path(), to.path() + "/copy").ok());
    const std::string path = to.path() + "/lock";  // As berthd does.
    std::ofstream(path) << "4711\n";
    const int lock = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(lock, LOCK_EX), 0);
    const auto refused = restore(to.path() + "/copy", to.path(), {});
    ::close(lock);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message, to.path() +
                                           " is in use by another program (berthd, pid "
                                           "4711): stop it first");
    EXPECT_TRUE(restore(to.path() + "/copy", to.path(), {}).ok());
}

TEST(Backup, NothingIsOverwrittenAndNothingLeftBehind) {
    const Folder from, to;
    SmallCluster cluster(from.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    const std::string copy = to.path() + "/copy";
    ASSERT_TRUE(back_up(from.path(), copy).ok());
    EXPECT_EQ(back_up(from.path(), copy).error().code, ErrorCode::already_exists);
    std::ofstream(to.path() + "/other.part") << "of somebody who would read the copy";
    EXPECT_EQ(back_up(from.path(), to.path() + "/other").error().code, ErrorCode::already_exists);
    std::filesystem::remove(to.path() + "/other.part");
    EXPECT_EQ(restore(copy, from.path(), {}).error().code, ErrorCode::already_exists);
    EXPECT_EQ(std::filesystem::status(copy).permissions(),
              std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::ofstream(to.path() + "/text") << "not a database";
    EXPECT_FALSE(restore(to.path() + "/text", to.path(), {}).ok());
    EXPECT_FALSE(restore(copy, to.path(), {.skip_jobs = 60'000'000}).ok());
    for (const auto& entry : std::filesystem::directory_iterator(to.path())) {
        const std::string name = entry.path().filename().string();
        EXPECT_TRUE(name == "copy" || name == "text") << name;
    }
}

TEST(Replay, NamesTheDatabaseThatIsNotThere) {
    const auto none = replay("/nowhere");
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().message,
              "cannot open the database /nowhere/berth.db: unable to open database file (SQLite "
              "code 14)");
}

}  // namespace
}  // namespace berth
