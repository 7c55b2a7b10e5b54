#include "berth/store/checkpointer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "berth/store/journal_table.h"
#include "berth/store/log_room.h"
#include "berth/store/schema.h"
#include "berth/store/small_cluster.h"
#include "berth/store/sqlite.h"

namespace berth {
namespace {

using testing::Folder;

// Waits for every pass, so that the counts are the same on any disk.
constexpr CheckpointSettings kPatient{.per_pass = 10,
                                      .per_close = 2,
                                      .is_long = 40,
                                      .too_long = 80,
                                      .patience = std::chrono::seconds(60)};

class Log {
public:
    explicit Log(CheckpointSettings settings)
        : database_(Database::open(path_, {}).value()), checkpointer_(path_, "", settings) {
        EXPECT_TRUE(database_
                        .run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                             "CREATE TABLE pages(bytes BLOB)")
                        .ok());
    }
    std::int64_t commit() {
        checkpointer_.let_finish();
        EXPECT_TRUE(database_.run("INSERT INTO pages VALUES(zeroblob(3000))").ok());
        const std::int64_t frames = database_.log_frames();
        checkpointer_.log_is(frames);
        longest_ = std::max(longest_, frames);
        return frames;
    }
    Database reader() const {
        Database other = Database::open(path_, {.read_only = true}).value();
        EXPECT_TRUE(other.run("BEGIN; SELECT count(*) FROM pages").ok());
        return other;
    }
    std::int64_t longest() const { return longest_; }
    Checkpointer& checkpointer() { return checkpointer_; }

private:
    Folder folder_;
    std::string path_ = folder_.path() + "/log.db";
    Database database_;
    Checkpointer checkpointer_;
    std::int64_t longest_ = 0;
};

TEST(Checkpointer, KeepsTheLogShortThoughCommitsFollowEachOtherClosely) {
    Log log(kPatient);
    for (int i = 0; i < 500; ++i) log.commit();
    EXPECT_LT(log.longest(), 100) << "it starts over once it is long";
    EXPECT_TRUE(log.checkpointer().status().ok());
}

TEST(Checkpointer, LeavesTheLogAloneWhileItIsShort) {
    Log log({.per_pass = 100, .is_long = 1000, .too_long = 2000});
    for (int i = 0; i < 20; ++i) log.commit();
    EXPECT_EQ(log.checkpointer().passes(), 0);
}

TEST(Checkpointer, AsksSeldomWhileAReaderHoldsTheLog) {
    Log log(kPatient);
    for (int i = 0; i < 5; ++i) log.commit();
    std::int64_t frames = 0;
    {
        const Database reader = log.reader();
        for (int i = 0; i < 200; ++i) frames = log.commit();
        EXPECT_GT(frames, 400) << "what it reads stays";
        EXPECT_LE(log.checkpointer().passes(), frames / kPatient.per_pass + 1);
    }
    for (int i = 0; i < 30; ++i) frames = log.commit();
    EXPECT_LT(frames, 100) << "and goes with it";
}

TEST(LogRoom, IsMadeAheadOfUseAndReadAsTheEndOfTheLog) {
    const Folder folder;
    const Folder copy;
    StoreSettings settings = testing::small_settings();
    settings.live_snapshot_things = 2;
    settings.log_bytes = 4 << 20;
    testing::SmallCluster cluster(folder.path(), settings);
    ASSERT_TRUE(cluster.become_leader(testing::at(0)).ok());
    for (std::uint32_t id = 1; id <= 60; ++id) {
        ASSERT_TRUE(cluster.submit(id, testing::at(id)).ok());
        ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
        if (id == 30) {  // What a crash in the middle of a pass leaves.
            namespace fs = std::filesystem;
            for (const auto& file : fs::directory_iterator(folder.path())) {
                if (file.path().extension() != ".db-shm") {
                    fs::copy(file.path(),
                             std::filesystem::path(copy.path()) / file.path().filename());
                }
            }
        }
    }
    EXPECT_EQ(std::filesystem::file_size(folder.path() + "/berth.db-wal") >> 20, 4U);
    testing::SmallCluster again(copy.path());
    ASSERT_TRUE(again.ok()) << again.error;
    EXPECT_EQ(again.state().jobs().size(), 30U);
}

// A Replica, which reads for seconds, must not keep the log growing for that long.
TEST(JournalTable, LetsGoOfTheLogBeforeItLooksAtWhatItHasRead) {
    const Folder folder;
    testing::SmallCluster cluster(folder.path());
    ASSERT_TRUE(cluster.become_leader(testing::at(0)).ok());
    for (std::uint32_t id = 1; id <= 5; ++id) {
        ASSERT_TRUE(cluster.submit(id, testing::at(id)).ok());
    }
    const std::string path = folder.path() + '/' + kStateFile;
    Database reader = Database::open(path, {.read_only = true}).value();
    Database writer = Database::open(path, {}).value();
    JournalTable journal = JournalTable::prepare(reader).value();
    int seen = 0;
    const auto visit = [&](const Record&, JournalTable::Stored) -> Status {
        ++seen;
        BERTH_CHECK(writer.run("UPDATE meta SET value = value + 1 WHERE name = 'epoch'"));
        BERTH_TRY(const std::int64_t moved, writer.checkpoint());
        EXPECT_EQ(moved, writer.log_frames());
        return Done{};
    };
    EXPECT_TRUE(journal.read_after(0, visit).ok());
    EXPECT_EQ(seen, 6);
}

}  // namespace
}  // namespace berth
