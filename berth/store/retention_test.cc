#include "berth/store/retention.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "berth/store/reader.h"
#include "berth/store/small_cluster.h"

namespace berth {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::Folder;
using testing::SmallCluster;

TEST(Retention, ReadsLengthsAsSlurmdbdDoes) {
    const std::vector<std::pair<std::string, Duration>> cases = {
        {"12months", 24h * 360}, {"12", 24h * 360}, {"1month", 24h * 30}, {"30days", 24h * 30},
        {"30d", 24h * 30},       {"36hours", 36h},  {"1hour", 1h}};
    for (const auto& [text, length] : cases)
        EXPECT_EQ(parse_retention(text).value_or({}), length) << text;
    for (const char* const text :
         {"", "0", "days", "-1", "12 months", "5weeks", "99999999999999", "1monthss"})
        EXPECT_FALSE(parse_retention(text).ok()) << text;
}

// Ten jobs that end a second apart, each with the step of its script.
class RetentionTest : public ::testing::Test {
protected:
    void run_ten(RetentionSettings settings) {
        settings.pause = settings.longer_pause = 0ms;
        StoreSettings of_store = testing::small_settings();
        of_store.retention = std::move(settings);
        cluster_.emplace(folder_.path(), of_store);
        ASSERT_TRUE(cluster_->ok()) << cluster_->error;
        ASSERT_TRUE(cluster_->become_leader(at(0)).ok());
        for (std::uint32_t id = 1; id <= 10; ++id) {
            ASSERT_TRUE(cluster_->submit(id, at(0)).ok());
            ASSERT_TRUE(cluster_->start(id, at(1), 1, {NodeId(0)}).ok());
            ASSERT_TRUE(cluster_
                            ->record(at(id), {AttemptEnded{.job = JobId(id),
                                                           .attempt = Attempt(1),
                                                           .node = NodeId(0),
                                                           .batch_exit = ExitStatus{}}})
                            .ok());
        }
        ASSERT_TRUE(cluster_->submit(11, at(11)).ok());
    }
    // The store's time passes with its records.
    void rest_at(Time now, int times) {
        ASSERT_TRUE(cluster_->record(now, {}).ok());
        for (int i = 0; i < times; ++i) ASSERT_TRUE(cluster_->store().rest(cluster_->state()).ok());
    }
    std::vector<AccountingRecord> rows() {
        return StoreReader::open(folder_.path())->accounting({})->records;
    }
    std::vector<std::uint32_t> ids() {
        std::vector<std::uint32_t> all;
        for (const AccountingRecord& row : rows()) all.push_back(row.job.value());
        return all;
    }

    Folder folder_;
    std::optional<SmallCluster> cluster_;
};

TEST_F(RetentionTest, WithoutItNothingGoes) {
    run_ten({});
    rest_at(at(0) + 24h * 10'000, 50);
    EXPECT_EQ(ids().size(), 11u);
}

TEST_F(RetentionTest, WhatEndedLongAgoGoesAFewAtATimeTheOldestFirst) {
    run_ten({.jobs = 1h, .portion = 2});
    rest_at(at(7) + 1h, 1);
    EXPECT_EQ(ids(), (std::vector<std::uint32_t>{3, 4, 5, 6, 7, 8, 9, 10, 11}));
    rest_at(at(7) + 1h, 50);
    EXPECT_EQ(ids(), (std::vector<std::uint32_t>{7, 8, 9, 10, 11}))
        << "job 7 ended an hour ago, and no more";
    rest_at(at(0) + 24h * 10'000, 50);
    EXPECT_EQ(ids(), std::vector<std::uint32_t>{11}) << "what has not ended stays";
}

TEST_F(RetentionTest, StepsMayGoBeforeTheirJobs) {
    run_ten({.steps = 1h, .portion = 3});
    rest_at(at(5) + 1h, 50);
    const auto all = rows();
    ASSERT_EQ(all.size(), 11u);
    for (const AccountingRecord& row : all) {
        const bool old = row.job.value() < 5 || row.job.value() == 11;
        EXPECT_EQ(row.steps.empty(), old) << row.job.value();
    }
}

// Of a time whose jobs are gone it is not told either what the nodes were.
TEST_F(RetentionTest, SpansGoWithTheJobsOfTheirTime) {
    run_ten({.jobs = 1h, .portion = 2});
    ASSERT_TRUE(cluster_->record(at(20), {NodeRegistered{.node = NodeId(0)}}).ok());
    ASSERT_TRUE(cluster_->record(at(30), {NodeNotResponding{NodeId(0)}}).ok());
    const auto begins = [&] {
        std::string text;
        const Spans spans = StoreReader::open(folder_.path())->spans(at(0), at(100)).value();
        for (const NodeSpan& span : spans.nodes)
            text += span.name + " " + std::to_string(seconds(span.began - at(0))) + ", ";
        return text + "since " + std::to_string(seconds(*spans.since - at(0)));
    };
    rest_at(at(20) + 1h, 50);
    EXPECT_EQ(begins(), "gpu1 0, gpu1 20, gpu1 30, gpu2 0, since 0");
    rest_at(at(21) + 1h, 50);
    EXPECT_EQ(begins(), "gpu1 20, gpu1 30, gpu2 0, since 20");
    rest_at(at(0) + 24h * 10'000, 50);
    EXPECT_EQ(begins(), "gpu1 30, gpu2 0, since 30") << "what has not ended stays";
}

TEST_F(RetentionTest, WhatIsArchivedGoesOnlyThen) {
    std::vector<AccountingRecord> archived;
    bool broken = true;
    run_ten({.jobs = 1h, .archive = [&](const std::vector<AccountingRecord>& some) -> Status {
                 if (broken) return Error{ErrorCode::unavailable, "no room"};
                 archived.insert(archived.end(), some.begin(), some.end());
                 return Done{};
             }});
    rest_at(at(0) + 24h, 5);
    EXPECT_EQ(ids().size(), 11u);
    broken = false;
    rest_at(at(0) + 24h, 5);
    EXPECT_EQ(ids(), std::vector<std::uint32_t>{11});
    ASSERT_EQ(archived.size(), 10u);
    EXPECT_EQ(archived.front().job, JobId(1));
    EXPECT_EQ(archived.front().steps.size(), 1u) << "with its steps";
}

TEST_F(RetentionTest, WhatCannotBeReadIsNeitherArchivedNorDeleted) {
    std::vector<AccountingRecord> archived;
    run_ten({.jobs = 1h, .archive = [&](const std::vector<AccountingRecord>& some) -> Status {
                 archived.insert(archived.end(), some.begin(), some.end());
                 return Done{};
             }});
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((folder_.path() + "/berth.db").c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, "UPDATE jobs SET row = x'ff' WHERE job = 3", nullptr, nullptr,
                           nullptr),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(database), 1);
    rest_at(at(0) + 24h, 12);
    EXPECT_EQ(archived.size(), 9u);
    ASSERT_EQ(sqlite3_exec(database, "UPDATE jobs SET row = x'ff' WHERE job < 11", nullptr, nullptr,
                           nullptr),
              SQLITE_OK);
    EXPECT_EQ(sqlite3_changes(database), 1) << "job 3 alone is left";
    sqlite3_close(database);
}

TEST_F(RetentionTest, AJobThatTheControllerStillKnowsIsWrittenAgainWhenItChanges) {
    run_ten({.jobs = 1h});
    rest_at(at(0) + 24h, 5);
    ASSERT_TRUE(cluster_->start(11, at(0) + 25h, 1, {NodeId(1)}).ok());
    EXPECT_EQ(rows().back().state, JobState::running);
}

}  // namespace
}  // namespace berth
