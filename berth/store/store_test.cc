#include "berth/store/store.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <thread>

#include "berth/store/reader.h"
#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using testing::at;
using testing::Folder;
using testing::SmallCluster;

// Damages a row, as an administrator with a hex editor or a bad disk would.
void run_sql(const Folder& folder, const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder.path() + "/berth.db").c_str(), &database), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(database);
}

TEST(Store, StartsEmptyAndCountsItsEpochs) {
    const Folder folder;
    for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
        const SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        EXPECT_EQ(cluster.opened().epoch, Epoch(epoch));
        EXPECT_EQ(cluster.opened().next_sequence, 1u);
    }
}

TEST(Store, GivesBackTheStateThatWasThere) {
    const Folder folder;
    std::uint64_t hash = 0;
    {
        SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 50; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        ASSERT_TRUE(cluster.start(7, at(60), 1, {NodeId(0), NodeId(1)}).ok());
        hash = cluster.state().hash();
    }
    const SmallCluster again(folder.path());
    ASSERT_TRUE(again.ok()) << again.error;
    EXPECT_EQ(again.opened().state.hash(), hash);
    EXPECT_EQ(again.opened().next_sequence, 53u);
    EXPECT_EQ(again.opened().replayed_records, 52u);
    EXPECT_EQ(again.opened().snapshot_sequence, 0u);
    again.opened().state.check_invariants();
}

StoreSettings eager_snapshots() {
    StoreSettings settings = testing::small_settings();
    settings.snapshot_records = 10;
    settings.slice_bytes = 512;
    settings.rest_budget = Duration(0);  // One piece of work per turn.
    return settings;
}

// As for a large state: beside the controller, from the file alone.
StoreSettings snapshots_by_replica() {
    StoreSettings settings = eager_snapshots();
    settings.live_snapshot_things = 0;
    return settings;
}

TEST(Store, MakesTheSnapshotsOfALargeStateBesideTheController) {
    const Folder folder;
    std::uint64_t hash = 0;
    {
        SmallCluster cluster(folder.path(), snapshots_by_replica());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 200; ++id) {
            ASSERT_TRUE(cluster.submit(id, at(id)).ok());
            for (int turn = 0; turn < 5; ++turn) {
                ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
            }
            if (id % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        hash = cluster.state().hash();
    }
    const Result<Verified> verified = verify(folder.path());
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_EQ(verified->hash, hash);
    EXPECT_GT(verified->oldest, 1u) << "the journal was never cut";
    EXPECT_GT(verified->newest, verified->oldest);
}

// A damaged record does no harm while the controller still has its content in memory.
TEST(Store, WritesTheStateInMemoryDownIfTheFileCannotBeRecoveredFrom) {
    const Folder folder;
    std::uint64_t hash = 0;
    {
        SmallCluster cluster(folder.path(), snapshots_by_replica());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 20; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        run_sql(folder, "UPDATE journal SET record = x'00' WHERE sequence = 5");
        for (int turn = 0; turn < 300; ++turn) {
            ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        hash = cluster.state().hash();
    }
    const SmallCluster again(folder.path());
    ASSERT_TRUE(again.ok()) << again.error;
    EXPECT_EQ(again.opened().state.hash(), hash);
}

TEST(Store, WritesSnapshotsBetweenTurnsAndCutsTheJournalBehindThem) {
    const Folder folder;
    std::uint64_t hash = 0;
    {
        SmallCluster cluster(folder.path(), eager_snapshots());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 200; ++id) {
            ASSERT_TRUE(cluster.submit(id, at(id)).ok());
            for (int turn = 0; turn < 5; ++turn) {
                ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
            }
        }
        hash = cluster.state().hash();
    }
    const Result<Verified> verified = verify(folder.path());
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_EQ(verified->hash, hash);
    EXPECT_GT(verified->oldest, 1u) << "the journal was never cut";
    EXPECT_GT(verified->newest, verified->oldest) << "two starting points are kept";
    const SmallCluster again(folder.path());
    ASSERT_TRUE(again.ok()) << again.error;
    EXPECT_EQ(again.opened().state.hash(), hash);
    EXPECT_EQ(again.opened().snapshot_sequence, verified->newest);
}

TEST(Store, KeepsTheWholeJournalIfTold) {
    const Folder folder;
    StoreSettings settings = eager_snapshots();
    settings.keep_journal = true;
    SmallCluster cluster(folder.path(), settings);
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    for (std::uint32_t id = 1; id <= 100; ++id) {
        ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        for (int turn = 0; turn < 5; ++turn) {
            ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
        }
    }
    const Result<Verified> verified = verify(folder.path());  // Beside the open store.
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_EQ(verified->hash, cluster.state().hash());
    EXPECT_EQ(verified->oldest, 0u);
    EXPECT_EQ(verified->records, 101u);
    EXPECT_GT(verified->newest, 0u);
}

TEST(Store, RecoversWhereverASnapshotWasInterrupted) {
    for (int turns = 0; turns < 40; ++turns) {
        const Folder folder;
        std::uint64_t hash = 0;
        {
            SmallCluster cluster(folder.path(), eager_snapshots());
            ASSERT_TRUE(cluster.become_leader(at(0)).ok());
            for (std::uint32_t id = 1; id <= 30; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
            for (int turn = 0; turn < turns; ++turn) {
                ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
            }
            ASSERT_TRUE(cluster.submit(31, at(31)).ok());
            hash = cluster.state().hash();
        }
        SmallCluster again(folder.path(), eager_snapshots());
        ASSERT_TRUE(again.ok()) << again.error;
        ASSERT_EQ(again.state().hash(), hash) << "after " << turns << " turns of rest";
        for (int turn = 0; turn < 200; ++turn) {
            ASSERT_TRUE(again.store().rest(again.state()).ok());
        }
        ASSERT_TRUE(verify(folder.path()).ok());
    }
}

class Damaged : public ::testing::Test {
protected:
    void SetUp() override {
        SmallCluster cluster(folder_.path());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 9; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    }
    void make_snapshot() {
        SmallCluster cluster(folder_.path(), eager_snapshots());
        for (int turn = 0; turn < 100; ++turn) {
            ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
        }
    }
    void expect_refusal(const std::string& sql, const std::string& words) {
        run_sql(folder_, sql);
        const SmallCluster cluster(folder_.path());
        ASSERT_FALSE(cluster.ok());
        EXPECT_NE(cluster.error.find(words), std::string::npos) << cluster.error;
    }
    Folder folder_;
};

TEST_F(Damaged, RecordIsRefusedByItsNumber) {
    expect_refusal("UPDATE journal SET record = x'05' || substr(record, 2) WHERE sequence = 5",
                   "journal record 5 does not match its checksum");
}
TEST_F(Damaged, JournalWithAGapIsRefused) {
    expect_refusal("DELETE FROM journal WHERE sequence = 6", "journal record 6 is missing");
}
TEST_F(Damaged, JournalWithoutItsBeginningIsRefused) {
    expect_refusal("DELETE FROM journal WHERE sequence < 3", "begins at record 3");
}
TEST_F(Damaged, RecordsThatChangedPlacesAreRefused) {
    expect_refusal(
        "UPDATE journal SET sequence = 100 WHERE sequence = 4;"
        "UPDATE journal SET sequence = 4 WHERE sequence = 5;"
        "UPDATE journal SET sequence = 5 WHERE sequence = 100",
        "journal record 4 does not match its checksum");
}
TEST_F(Damaged, NewerSchemaIsRefusedByName) {
    expect_refusal("UPDATE meta SET value = 7 WHERE name = 'schema'",
                   "schema version 7; this program knows versions 2 to 4: start the newer Berth");
}
TEST_F(Damaged, AnEpochOlderThanItsRecordsIsRefused) {
    expect_refusal("UPDATE meta SET value = 0 WHERE name = 'epoch'",
                   "says epoch 0, and its last record is of epoch 1");
}
// The snapshot holds all that happened: no record after it tells the epoch.
TEST_F(Damaged, AnEpochOlderThanItsLastRecordIsRefusedWithASnapshotOfIt) {
    make_snapshot();
    {
        const SmallCluster cluster(folder_.path());
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        ASSERT_EQ(cluster.opened().snapshot_sequence, 10u);
        ASSERT_EQ(cluster.opened().replayed_records, 0u);
    }
    expect_refusal("UPDATE meta SET value = 0 WHERE name = 'epoch'",
                   "says epoch 0, and its last record is of epoch 1");
}
TEST_F(Damaged, AnotherProgramsDatabaseIsRefused) {
    expect_refusal("PRAGMA application_id = 17", "not Berth's");
}

TEST_F(Damaged, AnEpochThatIsNoNumberIsRefused) {
    expect_refusal("UPDATE meta SET value = 'x' WHERE name = 'epoch'",
                   "'epoch' in table meta of the state file is not a whole number");
}
TEST_F(Damaged, ARetentionRowThatIsNoNumberIsRefused) {
    expect_refusal("INSERT INTO meta VALUES('steps_swept_end', x'01')",
                   "'steps_swept_end' in table meta of the state file is not a whole number");
}

TEST(Store, TellsTheTimeOfTheLastRecordWithAndWithoutASnapshot) {
    const Folder folder;
    {
        SmallCluster cluster(folder.path(), eager_snapshots());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 30; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        ASSERT_TRUE(cluster.record(at(777), {NodeNotResponding{NodeId(0)}}).ok());
    }
    for (int start = 0; start < 2; ++start) {
        SilentLog log;
        Result<Opened> opened = Store::open(folder.path(), eager_snapshots(), log);
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        EXPECT_EQ(opened->last_at, at(777));
        for (int turn = 0; turn < 200; ++turn) ASSERT_TRUE(opened->store.rest(opened->state).ok());
    }
}

TEST_F(Damaged, SnapshotSliceIsRefused) {
    make_snapshot();
    expect_refusal("UPDATE snapshot_slices SET bytes = x'01' || bytes WHERE slice = 1",
                   "bad slice 1");
}

TEST(Store, RefusesAFileThatIsNoDatabase) {
    const Folder folder;
    std::FILE* const file = std::fopen((folder.path() + "/berth.db").c_str(), "w");
    std::fputs(std::string(8192, 'x').c_str(), file);
    std::fclose(file);
    const SmallCluster cluster(folder.path());
    ASSERT_FALSE(cluster.ok());
    EXPECT_NE(cluster.error.find("not a database"), std::string::npos) << cluster.error;
}

TEST(Store, KeepsAScriptAsLongAsItsJobOrArrayIsKnown) {
    const Folder folder;
    SmallCluster cluster(folder.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    const JobPayload payload{.script = std::string(4 << 20, 's') + '\0',
                             .environment = {"A=1", "B=two words"}};
    ASSERT_TRUE(cluster.submit(1, at(1), payload).ok());
    Result<StoreReader> reader = StoreReader::open(folder.path());
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    EXPECT_EQ(reader->payload(JobId(1), std::nullopt).value(), payload);
    EXPECT_EQ(cluster.store().payload(JobId(9), JobId(1)).value(), payload);

    ASSERT_TRUE(cluster.record(at(2), {JobCancelled{.job = JobId(1), .by_uid = 1000}}).ok());
    EXPECT_TRUE(reader->payload(JobId(1), std::nullopt).ok());
    ASSERT_TRUE(cluster.record(at(400), {JobForgotten{JobId(1)}}).ok());
    const Result<JobPayload> gone = reader->payload(JobId(1), std::nullopt);
    ASSERT_FALSE(gone.ok());
    EXPECT_EQ(gone.error().code, ErrorCode::not_found);
}

TEST(Store, SharesAnArraysScriptUntilItsLastTaskIsForgotten) {
    const Folder folder;
    SmallCluster cluster(folder.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    Job array = testing::pending_job(1, at(1));
    array.spec.array = ArraySpec{.tasks = {0, 1, 2}};
    const JobPayload payload{.script = "#!/bin/sh\n"};
    ASSERT_TRUE(cluster.record(at(1), {JobSubmitted{array}}, {{JobId(1), payload}}).ok());
    ASSERT_TRUE(cluster.record(at(2), {JobCancelled{.job = JobId(1), .array_tasks = {0}}}).ok());
    ASSERT_TRUE(cluster.record(at(3), {JobCancelled{.job = JobId(1)}}).ok());
    ASSERT_TRUE(cluster.record(at(400), {JobForgotten{JobId(1)}}).ok());
    EXPECT_TRUE(cluster.store().payload(JobId(2), JobId(1)).ok()) << "task 0 is still known";
    ASSERT_TRUE(cluster.record(at(401), {JobForgotten{JobId(2)}}).ok());
    EXPECT_FALSE(cluster.store().payload(JobId(2), JobId(1)).ok());
}

TEST(Store, HasNoRoomOnceTheDiskIsNearlyFullAndAgainWhenItIsNot) {
    const Folder folder;
    std::int64_t free = 1 << 20;
    StoreSettings settings = testing::small_settings();  // 64 KiB of reserve.
    settings.free_bytes = [&free] { return free; };
    SmallCluster cluster(folder.path(), settings);
    EXPECT_TRUE(cluster.store().has_room());
    free = 1 << 13;
    EXPECT_FALSE(cluster.store().has_room());
    EXPECT_TRUE(cluster.become_leader(at(0)).ok()) << "what must be recorded still is";
    free = 1 << 20;
    EXPECT_TRUE(cluster.store().has_room());
}

// For any order of events, the recovered state equals the original one.
TEST(Store, NamesTheRecordThatTheEngineWouldNotHaveDecided) {
    Folder folder;
    SmallCluster cluster(folder.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    ASSERT_TRUE(cluster.submit(1, at(1)).ok());
    auto again = decide_again(folder.path());
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_FALSE(again->first);
    EXPECT_EQ(again->sequence, 2U);
    ASSERT_TRUE(cluster.start(1, at(2), 1, {NodeId(1)}).ok());  // No scheduler decides it.
    again = decide_again(folder.path());
    ASSERT_TRUE(again.ok() && again->first);
    EXPECT_EQ(again->first->sequence, 3U);
    EXPECT_EQ(again->first->recorded,
              "start of job 1, run 1 on gpu2 (1 CPUs, 1 tasks, cores 0, devices 0), priority 0");
}

TEST(Store, ReplaysAnyHistoryToTheSameHash) {
    testing::for_each_seed(20, [](Rng& rng) {
        const Folder folder;
        std::uint64_t hash = 0;
        std::uint32_t next = 1;
        for (int life = 0; life < 3; ++life) {
            StoreSettings settings = eager_snapshots();
            settings.snapshot_records = static_cast<std::uint64_t>(rng.between(1, 40));
            settings.slice_bytes = static_cast<std::size_t>(rng.between(1, 4000));
            SmallCluster cluster(folder.path(), settings);
            ASSERT_TRUE(cluster.ok()) << cluster.error;
            if (life > 0) {
                ASSERT_EQ(cluster.state().hash(), hash);
            }
            ASSERT_TRUE(cluster.become_leader(at(next)).ok());
            for (std::uint32_t turn = 0; turn < 40; ++turn) {
                const Time now = at(next + turn);
                const auto id = static_cast<std::uint32_t>(rng.between(1, next));
                const Job* const job = cluster.state().find_job(JobId(id));
                if (job == nullptr || rng.chance(40)) {
                    next = cluster.state().next_job_id().value();
                    ASSERT_TRUE(cluster.submit(next, now).ok());
                } else if (is_final(job->state)) {
                    ASSERT_TRUE(cluster.record(now, {JobForgotten{JobId(id)}}).ok());
                } else if (rng.chance(50)) {
                    ASSERT_TRUE(cluster.record(now, {JobCancelled{.job = JobId(id)}}).ok());
                } else {
                    ASSERT_TRUE(cluster.record(now, {JobHeld{JobId(id), Hold::user}}).ok());
                }
                ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
            }
            hash = cluster.state().hash();
            const Result<Verified> verified = verify(folder.path());
            ASSERT_TRUE(verified.ok()) << verified.error().message;
            EXPECT_EQ(verified->hash, hash);
        }
    });
}

// `berth replay` compares with a daemon whose journal goes on meanwhile.
TEST(Store, ReplaysUpToARecord) {
    const Folder folder;
    StoreSettings settings = eager_snapshots();
    settings.keep_journal = true;
    SmallCluster cluster(folder.path(), settings);
    std::vector<std::uint64_t> hashes = {cluster.state().hash()};
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    hashes.push_back(cluster.state().hash());
    for (std::uint32_t id = 1; id <= 40; ++id) {
        ASSERT_TRUE(cluster.submit(id, at(id)).ok());
        hashes.push_back(cluster.state().hash());
        for (int turn = 0; turn < 5; ++turn) {
            ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
        }
    }
    for (std::uint64_t until = 0; until < hashes.size(); ++until) {
        const Result<Replayed> replayed = replay(folder.path(), until);
        ASSERT_TRUE(replayed.ok()) << replayed.error().message;
        EXPECT_EQ(replayed->sequence, until);
        EXPECT_EQ(replayed->hash, hashes[until]) << "up to record " << until;
    }
    const Result<Replayed> all = replay(folder.path(), hashes.size() + 5);
    ASSERT_TRUE(all.ok()) << all.error().message;
    EXPECT_EQ(all->sequence, hashes.size() - 1) << "there are no more";
    EXPECT_EQ(all->hash, hashes.back());
}

TEST(Store, LetsNobodyElseReadScriptsAndEnvironments) {
    const Folder folder;
    const auto open_to_others = [&](const std::string& name) {
        const auto all = std::filesystem::status(folder.path() + "/" + name).permissions();
        return all & (std::filesystem::perms::group_all | std::filesystem::perms::others_all);
    };
    for (int start = 0; start < 2; ++start) {
        SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.become_leader(at(start)).ok());
        for (const char* const name : {"berth.db", "berth.db-wal", "berth.db-shm"})
            EXPECT_EQ(open_to_others(name), std::filesystem::perms::none) << name;
        // As a version without this check may have left them.
        std::filesystem::permissions(folder.path() + "/berth.db",
                                     std::filesystem::perms::others_read,
                                     std::filesystem::perm_options::add);
    }
}

}  // namespace
}  // namespace berth
