// A state file with altered bytes in its log or its pages, as a bad disk leaves it: it yields the
// original state, or is rejected.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "berth/base/codec.h"
#include "berth/store/backup.h"
#include "berth/store/reader.h"
#include "berth/store/replay.h"
#include "berth/store/small_cluster.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using testing::at;
using testing::Folder;
using testing::SmallCluster;

constexpr std::uint32_t kJobs = 40;

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void run_sql(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(database);
}

JobPayload payload_of(std::uint32_t id) {
    const std::string number = std::to_string(id);
    return {.script = "#!/bin/sh\necho job " + number + std::string(id * 20, '.') + '\n',
            .environment = {"NUMBER=" + number}};
}

// Everything that a controller, its launches and its accounting read from the file.
struct Content {
    std::uint64_t hash = 0, sequence = 0;
    std::map<std::uint32_t, JobPayload> payloads;
    // A record, without the parts that have no checksum.
    std::map<std::uint32_t, std::string> accounting;
};

void live(SmallCluster& cluster) {
    ASSERT_TRUE(cluster.ok()) << cluster.error;
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    for (std::uint32_t id = 1; id <= kJobs; ++id) {
        ASSERT_TRUE(cluster.submit(id, at(id), payload_of(id)).ok());
        if (id % 4 == 0) {
            ASSERT_TRUE(cluster.record(at(id), {JobCancelled{.job = JobId(id)}}).ok());
        }
        ASSERT_TRUE(cluster.store().rest(cluster.state()).ok());
    }
}

std::string bytes_of(AccountingRecord record) {
    record.cancelled_by.reset();
    return encode(record);
}

// Each part is as it was, or is rejected.
void expect_the_same_or_refused(const std::string& folder, const Content& was, int& refused) {
    StoreSettings settings = testing::small_settings();
    SmallCluster cluster(folder, settings);
    if (!cluster.ok()) {
        ++refused;
        return;
    }
    ASSERT_EQ(cluster.opened().next_sequence, was.sequence + 1);
    ASSERT_EQ(cluster.state().hash(), was.hash);
    auto reader = StoreReader::open(folder);
    bool all = reader.ok();
    for (const auto& [id, payload] : was.payloads) {
        const auto found = cluster.store().payload(JobId(id), std::nullopt);
        all = all && found.ok();
        if (found.ok()) {
            ASSERT_EQ(*found, payload) << "job " << id << " would run another script";
        }
        if (!reader.ok()) continue;
        const auto rows = reader->accounting({.jobs = {JobId(id)}});
        all = all && rows.ok();
        if (!rows.ok()) continue;
        for (const AccountingRecord& row : rows->records) {
            ASSERT_EQ(bytes_of(row), was.accounting.at(id)) << "accounting of job " << id;
        }
    }
    refused += all ? 0 : 1;
}

Content content_of(SmallCluster& cluster, const std::string& folder) {
    Content all{.hash = cluster.state().hash(), .sequence = cluster.next_sequence - 1};
    StoreReader reader = StoreReader::open(folder).value();
    for (std::uint32_t id = 1; id <= kJobs; ++id) {
        all.payloads.emplace(id, payload_of(id));
        const auto rows = reader.accounting({.jobs = {JobId(id)}});
        EXPECT_TRUE(rows.ok() && rows->records.size() == 1);
        all.accounting.emplace(id, bytes_of(rows->records.at(0)));
    }
    return all;
}

StoreSettings with_snapshots() {
    StoreSettings settings = testing::small_settings();
    settings.snapshot_records = 15;
    settings.slice_bytes = 2000;
    return settings;
}

// Flipped bits, a sector of zeros, a sector of other content, or a truncated file.
std::string damaged(std::string bytes, Rng& rng) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const auto place = [&] { return static_cast<std::size_t>(rng.between(0, size - 1)); };
    const std::size_t sector = std::min<std::size_t>(512, bytes.size());
    const std::size_t from = std::min(place() / 512 * 512, bytes.size() - sector);
    switch (rng.between(0, 3)) {
        case 0:
            for (std::int64_t n = rng.between(1, 4); n > 0; --n) {
                const int flipped = 1 << rng.between(0, 7);
                char& byte = bytes[place()];
                byte = static_cast<char>(byte ^ flipped);
            }
            break;
        case 1: bytes.replace(from, sector, sector, '\0'); break;
        case 2:
            for (std::size_t i = 0; i < sector; ++i)
                bytes[from + i] = static_cast<char>(rng.between(0, 255));
            break;
        default: bytes.resize(place());
    }
    return bytes;
}

class Damage : public ::testing::Test {
protected:
    void SetUp() override {
        SmallCluster cluster(folder_.path(), with_snapshots());
        live(cluster);
        was_ = content_of(cluster, folder_.path());
        // As after a power failure: nothing has been moved out of the log.
        for (const char* const name : {"berth.db", "berth.db-wal", "berth.db.tail"})
            open_[name] = content(folder_.path() + '/' + name);
        ASSERT_GT(open_["berth.db-wal"].size(), 100'000u);
    }
    static void write(const Folder& folder, const std::map<std::string, std::string>& files) {
        for (const auto& [name, bytes] : files)
            std::ofstream(folder.path() + '/' + name, std::ios::binary) << bytes;
    }
    // As after a regular stop of the controller.
    std::map<std::string, std::string> closed() const {
        std::map<std::string, std::string> files;
        for (const char* const name : {"berth.db", "berth.db.tail"})
            files[name] = content(folder_.path() + '/' + name);
        return files;
    }
    static std::string refusal(const Folder& folder, bool accept_loss = false) {
        StoreSettings settings = testing::small_settings();
        settings.accept_loss = accept_loss;
        return SmallCluster(folder.path(), settings).error;
    }

    Folder folder_;
    Content was_;
    std::map<std::string, std::string> open_;
};

TEST_F(Damage, OfTheLogIsNoticed) {
    int refused = 0, seeds = 0, would_differ = 0;
    StoreSettings trusting = testing::small_settings();
    trusting.accept_loss = true;
    testing::for_each_seed(150, [&](Rng& rng) {
        const Folder there, without_tail;
        std::map<std::string, std::string> files = open_;
        files["berth.db-wal"] = damaged(files["berth.db-wal"], rng);
        write(there, files);
        expect_the_same_or_refused(there.path(), was_, refused);
        files.erase("berth.db.tail");
        write(without_tail, files);
        SmallCluster cluster(without_tail.path(), trusting);
        would_differ += cluster.ok() && cluster.state().hash() != was_.hash ? 1 : 0;
        ++seeds;
    });
    EXPECT_GT(refused, seeds / 4) << "nothing was damaged";
    EXPECT_GT(would_differ, seeds / 4) << "it is the tail that notices";
    RecordProperty("refused", refused);
    RecordProperty("would_differ", would_differ);
}

TEST_F(Damage, OfThePagesIsNoticed) {
    int refused = 0, seeds = 0;
    const std::map<std::string, std::string> whole = closed();
    testing::for_each_seed(150, [&](Rng& rng) {
        const Folder there;
        std::map<std::string, std::string> files = whole;
        files["berth.db"] = damaged(files["berth.db"], rng);
        write(there, files);
        expect_the_same_or_refused(there.path(), was_, refused);
        ++seeds;
    });
    EXPECT_GT(refused, seeds / 8) << "nothing was damaged";
    RecordProperty("refused", refused);
}

TEST_F(Damage, RecordsThatAreMissingAreCountedAndNothingIsChanged) {
    const Folder there;
    std::map<std::string, std::string> files = open_;
    files["berth.db-wal"].resize(files["berth.db-wal"].size() / 2);
    write(there, files);
    const std::string why = refusal(there);
    EXPECT_NE(why.find("record " + std::to_string(was_.sequence) + " was written: "),
              std::string::npos)
        << why;
    EXPECT_NE(why.find("records are missing"), std::string::npos) << why;
    EXPECT_NE(why.find("--accept-loss"), std::string::npos) << why;
    for (const auto& [name, bytes] : files)
        EXPECT_EQ(content(there.path() + '/' + name), bytes) << name << " was changed";
    EXPECT_FALSE(replay(there.path()).ok());
    const Folder copies;
    EXPECT_FALSE(back_up(there.path(), copies.path() + "/copy").ok()) << "a copy would be trusted";
    EXPECT_EQ(refusal(there), why) << "and once more";
}

TEST_F(Damage, ALossThatIsAcceptedMakesTheNextControllerLaterThanAllBefore) {
    const Folder there;
    std::map<std::string, std::string> files = open_;
    files["berth.db-wal"].resize(files["berth.db-wal"].size() / 2);
    write(there, files);
    StoreSettings settings = testing::small_settings();
    settings.accept_loss = true;
    {
        SmallCluster cluster(there.path(), settings);
        ASSERT_TRUE(cluster.ok()) << cluster.error;
        EXPECT_LT(cluster.next_sequence, was_.sequence);
        EXPECT_GT(cluster.opened().epoch, Epoch(1'000'000));
        EXPECT_GT(cluster.opened().first_job, 100'000u) << "no id means two jobs";
        ASSERT_TRUE(cluster.become_leader(at(1000)).ok());
    }
    EXPECT_EQ(refusal(there), "") << "it is a state like any other";
}

TEST_F(Damage, AFileThatWasExchangedIsRefused) {
    const Folder there, other;
    {
        SmallCluster cluster(other.path());
        ASSERT_TRUE(cluster.become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 2 * kJobs; ++id)
            ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    }
    std::map<std::string, std::string> files = closed();
    files["berth.db"] = content(other.path() + "/berth.db");
    write(there, files);
    EXPECT_NE(refusal(there).find("is not the file that was here last"), std::string::npos)
        << refusal(there);
}

TEST_F(Damage, ATailThatIsGoneOrDamagedIsNoTail) {
    const Folder without, broken, alone;
    std::map<std::string, std::string> files = closed();
    write(without, {{"berth.db", files["berth.db"]}});
    EXPECT_NE(refusal(without).find("has no " + without.path() + "/berth.db.tail"),
              std::string::npos);
    EXPECT_EQ(refusal(without, true), "");
    files["berth.db.tail"][9] ^= 1;
    write(broken, files);
    EXPECT_NE(refusal(broken).find("berth.db.tail is damaged"), std::string::npos);
    write(alone, {{"berth.db.tail", open_["berth.db.tail"]}});
    EXPECT_NE(refusal(alone).find("berth.db is not there, but"), std::string::npos);
    EXPECT_FALSE(fs::exists(alone.path() + "/berth.db")) << "no empty cluster was begun";
}

// A tail is written after its commit, and never synced.
TEST_F(Damage, ATailThatStayedBehindIsFine) {
    const Folder young, later;
    SmallCluster cluster(young.path());
    ASSERT_TRUE(cluster.become_leader(at(0)).ok());
    for (std::uint32_t id = 1; id <= 5; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    const std::string then = content(young.path() + "/berth.db.tail");
    for (std::uint32_t id = 6; id <= 9; ++id) ASSERT_TRUE(cluster.submit(id, at(id)).ok());
    write(later, {{"berth.db", content(young.path() + "/berth.db")},
                  {"berth.db-wal", content(young.path() + "/berth.db-wal")},
                  {"berth.db.tail", then}});
    SmallCluster again(later.path());
    ASSERT_TRUE(again.ok()) << again.error;
    EXPECT_EQ(again.state().hash(), cluster.state().hash());
}

TEST_F(Damage, AScriptThatWasChangedIsNotRun) {
    const Folder there;
    write(there, closed());
    // As long as before, and readable.
    run_sql(there.path() + "/berth.db",
            "UPDATE payloads SET payload = (SELECT payload FROM payloads WHERE job = 1) "
            "WHERE job = 2");
    SmallCluster cluster(there.path());
    ASSERT_TRUE(cluster.ok()) << cluster.error;
    const auto script = cluster.store().payload(JobId(2), std::nullopt);
    ASSERT_FALSE(script.ok());
    EXPECT_NE(script.error().message.find("script of job 2 is damaged"), std::string::npos);
    auto reader = StoreReader::open(there.path());
    EXPECT_FALSE(reader->payload(JobId(2), std::nullopt).ok()) << "what launches read";
    EXPECT_EQ(*reader->payload(JobId(1), std::nullopt), payload_of(1));
}

TEST_F(Damage, OneProgramAtATimeWritesAStateFile) {
    const Folder there;
    write(there, closed());
    const SmallCluster first(there.path());
    ASSERT_TRUE(first.ok()) << first.error;
    const Folder beside;
    fs::create_hard_link(there.path() + "/berth.db", beside.path() + "/berth.db");
    EXPECT_NE(refusal(there).find("berth.db is in use by another program"), std::string::npos);
    EXPECT_NE(refusal(beside).find("berth.db is in use by another program"), std::string::npos)
        << "by another path";
}

}  // namespace
}  // namespace berth
