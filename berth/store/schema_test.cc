// Opening state files that an earlier Berth has written.
#include "berth/store/schema.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "berth/store/backup.h"
#include "berth/store/reader.h"
#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using testing::Folder;
using testing::SmallCluster;

// Of 2026-11-21, by the last program that wrote version 2: six jobs of a real cluster, among them
// an array, a held job and a running one.
const std::string kVersion2 = std::string(BERTH_SOURCE_DIR) + "/tests/data/store/version-2.db";
// Id, name, state (a number of JobState), user, submission time.
constexpr const char* kJobsThen =
    "1 alone 3 root 1795303479\n"
    "2 array 3 root 1795303479\n"
    "3 array 3 root 1795303479\n"
    "4 array 3 root 1795303479\n"
    "5 fails 4 root 1795303479\n"
    "6 waits 0 root 1795303479\n"
    "7 runs 1 root 1795303479\n";

// What was known about its jobs. No state hash, since that changes with each added field.
std::string jobs_of(const ClusterState& state) {
    std::string text;
    for (const auto& [id, job] : state.jobs()) {
        text += to_string(id) + " " + std::string(*job.spec.name) + " " +
                std::to_string(static_cast<int>(job.state)) + " " + std::string(*job.owner->user) +
                " " + std::to_string(seconds(job.submitted_at.time_since_epoch())) + "\n";
    }
    return text;
}

std::int64_t version_of(const std::string& path) {
    auto database = Database::open(path, {.read_only = true});
    return database.ok() ? read_meta(*database, "schema").value_or(-1) : -1;
}

TEST(Schema, AnOlderFileIsBroughtUpToDateAndACopyOfItKept) {
    const Folder folder;
    const std::string file = folder.path() + '/' + kStateFile, copy = file + ".version-2";
    fs::copy_file(kVersion2, file);
    {
        SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        EXPECT_EQ(jobs_of(cluster.state()), kJobsThen) << "the records read as they were written";
    }
    EXPECT_EQ(version_of(file), kSchemaVersion);
    EXPECT_EQ(version_of(copy), 2);
    struct stat found{};
    ASSERT_EQ(::stat(copy.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600u) << "scripts and environments are in it";
    fs::remove(copy);
    EXPECT_TRUE(SmallCluster(folder.path()).ok());
    EXPECT_FALSE(fs::exists(copy)) << "there is nothing more to do";
}

TEST(Schema, ItIsAsOneThatWasMadeAnew) {
    const auto tables = [](const std::string& path) {
        std::vector<std::string> all;
        Database database = *Database::open(path, {});
        Statement query =
            *database.prepare("SELECT name FROM sqlite_schema WHERE sql NOT NULL ORDER BY name");
        while (query.step().value_or(false)) all.emplace_back(query.bytes(0));
        return all;
    };
    const Folder folder, fresh;
    const std::string file = folder.path() + '/' + kStateFile;
    fs::copy_file(kVersion2, file);
    ASSERT_TRUE(SmallCluster(folder.path()).ok());
    ASSERT_TRUE(SmallCluster(fresh.path()).ok());
    EXPECT_EQ(tables(file), tables(fresh.path() + '/' + kStateFile));
}

TEST(Schema, WhatItsAccountingHeldIsStillThere) {
    const Folder folder;
    fs::copy_file(kVersion2, folder.path() + '/' + kStateFile);
    ASSERT_TRUE(SmallCluster(folder.path()).ok());
    auto reader = StoreReader::open(folder.path());
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    const auto of_root = reader->accounting({.users = {"root"}});
    ASSERT_TRUE(of_root.ok());
    std::vector<std::string> names;
    for (const AccountingRecord& row : of_root->records) names.push_back(row.name);
    EXPECT_EQ(names, (std::vector<std::string>{"alone", "array", "array", "array", "fails", "waits",
                                               "runs"}));
    EXPECT_EQ(reader->accounting({})->records.size(), names.size()) << "as without a name";
    EXPECT_TRUE(reader->accounting({.users = {"roo"}})->records.empty());
}

// Of version 3: as version 2, with the index that it added.
TEST(Schema, TheScriptsOfAnOlderFileAreCheckedFromThenOn) {
    for (const bool of_version_3 : {false, true}) {
        const Folder folder;
        const std::string file = folder.path() + '/' + kStateFile;
        fs::copy_file(kVersion2, file);
        if (of_version_3) {
            Database older = *Database::open(file, {});
            ASSERT_TRUE(older.run("CREATE INDEX jobs_by_user ON jobs(user, ended)").ok());
            ASSERT_TRUE(write_meta(older, "schema", 3).ok());
        }
        SmallCluster cluster(folder.path());
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        EXPECT_EQ(fs::exists(file + ".version-3"), of_version_3);
        const auto script = cluster.store().payload(JobId(6), std::nullopt);
        ASSERT_TRUE(script.ok()) << script.error().message;
        EXPECT_EQ(script->script.rfind("#!", 0), 0u);
        Database changed = *Database::open(file, {});
        ASSERT_TRUE(
            changed.run("UPDATE payloads SET payload = payload || x'00' WHERE job = 6").ok());
        EXPECT_FALSE(cluster.store().payload(JobId(6), std::nullopt).ok());
    }
}

TEST(Schema, AStartThatWasCutOffIsMadeGood) {
    const Folder folder;
    const std::string file = folder.path() + '/' + kStateFile;
    fs::copy_file(kVersion2, file);
    fs::copy_file(kVersion2, file + ".version-2");  // The copy had been made, and nothing else.
    EXPECT_TRUE(SmallCluster(folder.path()).ok());
    EXPECT_EQ(version_of(file), kSchemaVersion);
}

TEST(Schema, WhoOnlyReadsChangesNothing) {
    const Folder folder;
    const std::string file = folder.path() + '/' + kStateFile;
    fs::copy_file(kVersion2, file);
    const auto reader = StoreReader::open(folder.path());
    ASSERT_FALSE(reader.ok());
    EXPECT_NE(reader.error().message.find("start the controller"), std::string::npos);
    EXPECT_EQ(version_of(file), 2);
}

TEST(Schema, AnOldBackupIsRestoredInTodaysForm) {
    const Folder folder;
    const auto restored = restore(kVersion2, folder.path(), {});
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(version_of(folder.path() + '/' + kStateFile), kSchemaVersion);
    EXPECT_EQ(version_of(kVersion2), 2);
    EXPECT_EQ(jobs_of(SmallCluster(folder.path()).state()), kJobsThen);
}

}  // namespace
}  // namespace berth
