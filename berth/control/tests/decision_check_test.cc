#include "berth/control/core/decision_check.h"

#include <gtest/gtest.h>

#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

// Two jobs run, one of them over its limit, and a third is planned behind them.
std::vector<Record> some_records() {
    ControlRig rig(2);
    rig.connect_all();
    for (const std::int64_t gpus : {8, 8, 8}) {
        JobSpec spec = testing::make_job({.nodes = 1, .gpus = gpus});
        spec.request.edit().time_limit = std::chrono::minutes(30);
        rig.ask(kAnn, SubmitJob{spec, {"#!/bin/sh\n", {}}});
    }
    rig.wait(std::chrono::minutes(31));
    return rig.records;
}

std::optional<DecisionCheck::Difference> check(const std::vector<Record>& records) {
    DecisionCheck check{ClusterState()};
    for (const Record& record : records) {
        if (auto difference = check.take(record)) return difference;
    }
    return std::nullopt;
}

TEST(DecisionCheck, DecidesTheSameAgain) {
    const std::vector<Record> records = some_records();
    DecisionCheck check{ClusterState()};
    for (const Record& record : records) EXPECT_FALSE(check.take(record));
    EXPECT_GT(check.decisions(), 4U);  // Starts, ends, a planned start.
    ClusterState applied;
    for (const Record& record : records) {
        for (const Fact& fact : record.facts) applied.apply(record.now, fact);
    }
    EXPECT_EQ(check.state().hash(), applied.hash());
}

TEST(DecisionCheck, KnowsWhatInactiveLimitEndsFromWhatACycleDoes) {
    ClusterSpec spec = testing::make_cluster(1);
    spec.scheduling.inactive_limit = std::chrono::seconds(60);
    ControlRig rig(spec);
    rig.connect_all();
    JobSpec job = testing::make_job({});
    job.command.edit().interactive = job.command.edit().attended = true;
    rig.ask(kAnn, SubmitJob{job, {}, {}});
    rig.wait(std::chrono::minutes(2));
    ASSERT_EQ(rig.job(1).outcome, JobState::timeout);
    EXPECT_FALSE(check(rig.records));
}

TEST(DecisionCheck, FindsAStartThatTheRulesDoNotGive) {
    std::vector<Record> records = some_records();
    for (Record& record : records) {
        for (Fact& fact : record.facts) {
            auto* const start = std::get_if<StartJob>(&fact);
            if (start == nullptr) continue;
            start->priority += 1;
            const auto difference = check(records);
            ASSERT_TRUE(difference);
            EXPECT_EQ(difference->sequence, record.sequence);
            EXPECT_TRUE(difference->recorded.starts_with("start of job 1, run 1 on node"))
                << difference->recorded;
            return;
        }
    }
    FAIL() << "nothing was started";
}

TEST(DecisionCheck, FindsADecisionThatIsMissing) {
    std::vector<Record> records = some_records();
    for (Record& record : records) {
        const auto ends = [](const Fact& fact) { return std::holds_alternative<EndJob>(fact); };
        if (std::ranges::count_if(record.facts, ends) < 2) continue;
        record.facts.erase(std::ranges::find_if(record.facts, ends));
        const auto difference = check(records);
        ASSERT_TRUE(difference);
        EXPECT_EQ(difference->sequence, record.sequence);
        EXPECT_EQ(difference->ours, "end of job 1 (TimeLimit)");
        return;
    }
    FAIL() << "nothing was ended";
}

TEST(DecisionCheck, TakesWhatWasPutOffWhereItComes) {
    std::vector<Record> records = some_records();
    for (std::size_t i = 0; i + 1 < records.size(); ++i) {
        auto& facts = records[i].facts;
        const auto starts = [](const Fact& fact) { return std::holds_alternative<StartJob>(fact); };
        const auto start = std::ranges::find_if(facts, starts);
        if (start == facts.end()) continue;
        // The same decisions, a moment later, as after a long cycle.
        Record later = records[i];
        const auto submitted = std::ranges::find_if(
            facts, [](const Fact& fact) { return std::holds_alternative<JobSubmitted>(fact); });
        ASSERT_NE(submitted, facts.end());
        later.facts.assign(submitted + 1, facts.end());
        facts.erase(submitted + 1, facts.end());
        DecisionCheck check{ClusterState()};
        for (std::size_t j = 0; j <= i; ++j) ASSERT_FALSE(check.take(records[j]));
        EXPECT_EQ(check.put_off(), 1U);
        EXPECT_FALSE(check.take(later));
        return;
    }
    FAIL() << "nothing was started";
}

}  // namespace
}  // namespace berth
