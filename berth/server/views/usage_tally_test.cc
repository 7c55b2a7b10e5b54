// What runs come to in a time: those that straddle its bounds, arrays, suspended ones; and what
// became of the rest of the cluster.
#include "berth/server/views/usage_tally.h"

#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"

namespace berth {
namespace {

constexpr std::int64_t kBegin = 1'700'000'000, kHour = 3600;

Time second(std::int64_t after) { return from_seconds(kBegin + after); }

AccountingRecord run(std::uint32_t job, std::int64_t start, std::optional<std::int64_t> end,
                     std::string user = "ann", std::string account = "bio") {
    AccountingRecord record;
    record.job = JobId(job);
    record.owner = {1000, 100, std::move(user), "users"};
    record.account = std::move(account);
    record.partition = "main";
    record.cpus = 4;
    record.allocated.set_cpu(cores(4));
    record.allocated.set_memory(mib(100));
    record.nodes = {"gpu1"};
    record.submitted_at = record.eligible_at.emplace(second(start));
    record.started_at = second(start);
    if (end) record.ended_at = second(*end);
    return record;
}

class Tally : public ::testing::Test {
protected:
    // From second 0 until one hour later; it is two hours later now.
    UsageTally tally(api::UsageQuery query = {}, std::optional<std::uint32_t> only = {}) {
        query.from = query.from.value_or(second(0));
        query.until = query.until.value_or(second(kHour));
        return UsageTally(spec_, query, second(2 * kHour), only);
    }
    static std::int64_t amount(const std::vector<api::TresSeconds>& used, std::string_view name) {
        const auto found = std::ranges::find(used, name, &api::TresSeconds::name);
        return found == used.end() ? 0 : found->amount;
    }
    // CPU seconds, and seconds of memory's MiB, of a single run.
    std::pair<std::int64_t, std::int64_t> of(const AccountingRecord& one) {
        UsageTally all = tally();
        all.take(one);
        const api::UsageReport report = all.report();
        if (report.groups.empty()) return {0, 0};
        EXPECT_EQ(report.groups.size(), 1U);
        return {amount(report.groups[0].used, "cpu"), amount(report.groups[0].used, "mem")};
    }
    // What became of the CPUs.
    static api::TresTime cpus(const api::UsageReport& report) {
        return *std::ranges::find(report.times, "cpu", &api::TresTime::name);
    }
    NodeSpan node(const char* name, std::int64_t began, std::optional<std::int64_t> ended,
                  bool is_available = true) const {
        NodeSpan span{.name = name, .began = second(began)};
        if (ended) span.ended = second(*ended);
        span.standing.capacity = spec_.nodes[0].capacity;
        if (!is_available) span.standing.unavailable = span.standing.capacity;
        return span;
    }
    Spans one_node() const {
        return {.nodes = {node("gpu1", -kHour, std::nullopt)}, .since = second(-kHour)};
    }
    ReservationSpan reserved(std::int64_t began, std::int64_t ended) const {
        ReservationSpan span{.name = "course", .began = second(began), .ended = second(ended)};
        span.standing.reservation = {
            .name = "course", .start = second(began), .end = second(ended)};
        span.standing.reservation.amounts = {{NodeId(0), spec_.nodes[0].capacity}};
        span.standing.nodes = {"gpu1"};
        return span;
    }
    static bool all_shown(const Reservation&) { return true; }

    ClusterSpec spec_ = sample_spec();
};

TEST_F(Tally, CountsOfARunWhatLiesWithinTheTime) {
    struct Case {
        std::int64_t start;
        std::optional<std::int64_t> end;
        std::int64_t seconds;
    };
    const Case cases[] = {
        {100, 160, 60},
        {-100, 60, 60},
        {kHour - 60, kHour + 100, 60},
        {-100, kHour + 100, kHour},
        {-100, 0, 0},
        {kHour, kHour + 60, 0},
        {kHour - 60, std::nullopt, 60},  // It still runs.
        {-60, std::nullopt, kHour},
    };
    for (const Case& one : cases) {
        EXPECT_EQ(of(run(1, one.start, one.end)), (std::pair{4 * one.seconds, 100 * one.seconds}))
            << one.start;
    }
}

TEST_F(Tally, SuspensionFreesTheCpusAndNotTheMemory) {
    AccountingRecord over = run(1, 100, 400);
    over.suspended = std::chrono::seconds(50);
    EXPECT_EQ(of(over), (std::pair<std::int64_t, std::int64_t>{4 * 250, 100 * 300}));
    // Still suspended: since second 3000, and for 100 seconds before.
    AccountingRecord now = run(1, 2000, std::nullopt);
    now.suspended = std::chrono::seconds(100);
    now.suspended_since = second(3000);
    EXPECT_EQ(of(now), (std::pair<std::int64_t, std::int64_t>{4 * 900, 100 * 1600}));
    // It was suspended when it ended.
    AccountingRecord lost = run(1, 0, 1000);
    lost.suspended = std::chrono::seconds(100);
    lost.suspended_since = second(700);
    EXPECT_EQ(of(lost), (std::pair<std::int64_t, std::int64_t>{4 * 600, 100 * 1000}));
    // Two times that lie side by side have together all that was used.
    AccountingRecord straddles = run(1, kHour - 200, kHour + 100);
    straddles.suspended = std::chrono::seconds(150);
    UsageTally next = tally({.from = second(kHour), .until = second(2 * kHour)});
    next.take(straddles);
    EXPECT_EQ(of(straddles).first, 4 * 150);
    EXPECT_EQ(amount(next.report().groups.at(0).used, "cpu"), 0);
    EXPECT_EQ(amount(next.report().groups.at(0).used, "mem"), 100 * 100);
}

// One run has four cores in the whole hour but for twenty minutes, in which it lends them to
// another: both halves of the hour have as much as the cores have in half an hour.
TEST_F(Tally, LentCpusCountOnce) {
    AccountingRecord lender = run(1, 0, kHour), borrower = run(2, 600, 1800);
    lender.suspended = std::chrono::seconds(1200);
    lender.stood_still = {{second(600), second(1800)}};
    const auto both = [&](std::int64_t from, std::int64_t until) {
        UsageTally all = tally({.from = second(from), .until = second(until)});
        all.take(one_node(), all_shown);
        all.take(lender);
        all.take(borrower);
        return all.report();
    };
    for (const std::int64_t from : {std::int64_t{0}, kHour / 2}) {
        const api::UsageReport report = both(from, from + kHour / 2);
        ASSERT_EQ(report.groups.size(), 1U);
        EXPECT_EQ(amount(report.groups[0].used, "cpu"), 4 * 1800);
        EXPECT_EQ(amount(report.groups[0].used, "billing"), 4 * 1800);
        EXPECT_EQ(cpus(report).allocated, 4 * 1800);
    }
    EXPECT_EQ(amount(both(0, 1800).groups[0].used, "mem"), 100 * (1800 + 1200));
}

TEST_F(Tally, WhatIsNotKnownOfSuspensionsCountsAsTheEnd) {
    const auto cpus_in = [&](const AccountingRecord& one, std::int64_t from, std::int64_t until) {
        UsageTally all = tally({.from = second(from), .until = second(until)});
        all.take(one);
        const api::UsageReport report = all.report();
        return report.groups.empty() ? 0 : amount(report.groups[0].used, "cpu") / 4;
    };
    AccountingRecord one = run(1, 0, 1000);
    one.suspended = std::chrono::seconds(450);
    one.stood_still = {{second(100), second(200)}, {second(700), second(800)}};
    // Of the rest, 200 seconds are those since second 800, and 50 the ones before second 700.
    EXPECT_EQ(cpus_in(one, 0, 1000), 550);
    EXPECT_EQ(cpus_in(one, 0, 200), 100);
    EXPECT_EQ(cpus_in(one, 200, 650), 450);
    EXPECT_EQ(cpus_in(one, 650, 1000), 0);
    // It stands still again, and goes on standing still until it ends.
    one.suspended = std::chrono::seconds(200);
    one.suspended_since = second(900);
    EXPECT_EQ(cpus_in(one, 0, 1000), 700);
    EXPECT_EQ(cpus_in(one, 800, 1000), 100);
    // It was learned late that it had ended before.
    one.ended_at = second(150);
    EXPECT_EQ(cpus_in(one, 0, 1000), 100);
    // It never had a turn.
    one = run(1, 0, 1000);
    one.suspended = std::chrono::seconds(1000);
    one.stood_still = {{second(0), second(1000)}};
    EXPECT_EQ(cpus_in(one, 0, 1000), 0);
}

// Each span stands for the turns of three hours, of which the other run has had half.
TEST_F(Tally, CpusThatAreSharedByTurnsCountOnce) {
    constexpr std::int64_t kStart = -200 * kHour;
    AccountingRecord one = run(1, kStart, 0), other = run(2, kStart, 0);
    for (std::size_t i = 0; i < kStoodStillMax; ++i) {
        const std::int64_t begin = kStart + static_cast<std::int64_t>(i) * 3 * kHour;
        for (const auto& [run, after] : {std::pair{&one, 30}, std::pair{&other, 0}}) {
            run->stood_still.emplace_back(second(begin + after),
                                          second(begin + after + kHour * 3 / 2));
            run->suspended += std::chrono::minutes(90);
        }
    }
    const auto cpus_in = [&](std::int64_t from, std::int64_t until) {
        UsageTally all = tally({.from = second(from), .until = second(until)});
        all.take(one);
        all.take(other);
        return amount(all.report().groups.at(0).used, "cpu");
    };
    for (std::int64_t from = kStart + kHour; from < kStart + 180 * kHour; from += 5 * kHour)
        ASSERT_NEAR(static_cast<double>(cpus_in(from, from + kHour)), 4.0 * kHour, 40) << from;
    EXPECT_EQ(cpus_in(kStart, 0), 4 * 2 * (200 - 96) * kHour);
}

TEST_F(Tally, TellsRunsByAccountUserAndKey) {
    UsageTally all = tally();
    all.take(run(1, 0, 10));
    all.take(run(2, 0, 10));
    all.take(run(3, 0, 10, "bob"));
    AccountingRecord keyed = run(4, 0, 10);
    keyed.wckey = "beta";
    all.take(keyed);
    all.take(run(5, 0, 10, "ann", "physics"));
    std::string text;
    for (const api::UsageGroup& one : all.report().groups) {
        text += one.account + "/" + one.user + "/" + one.wckey + " " + std::to_string(one.jobs) +
                " " + std::to_string(amount(one.used, "cpu")) + "\n";
    }
    EXPECT_EQ(text, "bio/ann/ 2 80\nbio/ann/beta 1 40\nbio/bob/ 1 40\nphysics/ann/ 1 40\n");
}

TEST_F(Tally, TellsRunsBySize) {
    UsageTally all = tally({.by_size = true});
    all.take(run(1, 0, 10));
    all.take(run(2, 0, 10, "bob"));
    AccountingRecord large = run(3, 0, 10);
    large.cpus = 64;
    all.take(large);
    std::string text;
    for (const api::UsageGroup& one : all.report().groups) {
        text +=
            one.account + " " + std::to_string(one.cpus) + " " + std::to_string(one.jobs) + "\n";
    }
    EXPECT_EQ(text, "bio 4 2\nbio 64 1\n");
}

TEST_F(Tally, PicksOutWhatTheQueryAsksFor) {
    AccountingRecord task = run(12, 0, 10);
    task.array_job = JobId(10);
    task.wckey = "beta";
    const std::pair<api::UsageQuery, std::int64_t> cases[] = {
        {{}, 1},
        {{.jobs = {JobId(12)}}, 1},
        {{.jobs = {JobId(10)}}, 1},
        {{.jobs = {JobId(11)}}, 0},
        {{.users = {"ann", "bob"}}, 1},
        {{.users = {"bob"}}, 0},
        {{.accounts = {"bio"}}, 1},
        {{.accounts = {"physics"}}, 0},
        {{.partitions = {"debug"}}, 0},
        {{.nodes = {"gpu1"}}, 1},
        {{.nodes = {"gpu2"}}, 0},
        {{.groups = {"users"}}, 1},
        {{.groups = {"100"}}, 1},
        {{.groups = {"wheel"}}, 0},
        {{.wckeys = {"beta"}}, 1},
        {{.wckeys = {"alpha"}}, 0},
    };
    for (const auto& [query, jobs] : cases) {
        UsageTally all = tally(query);
        all.take(task);
        const api::UsageReport report = all.report();
        EXPECT_EQ(report.groups.empty() ? 0 : report.groups[0].jobs, jobs);
        EXPECT_EQ(cpus(report).allocated, 40) << "of the cluster all counts";
    }
    UsageTally others = tally({}, 2000);
    others.take(task);
    EXPECT_TRUE(others.report().groups.empty()) << "who may see no other's";
}

TEST_F(Tally, TellsWhatBecameOfTheCpus) {
    UsageTally all = tally();
    Spans spans = one_node();
    spans.nodes.push_back(node("gpu2", -kHour, 1800, false));
    spans.nodes.push_back(node("gpu2", 1800, std::nullopt));
    all.take(spans, all_shown);
    all.take(run(1, 0, 1000));
    AccountingRecord waits = run(2, 0, std::nullopt);  // Of one CPU, for a hundred seconds.
    waits.eligible_at = second(100);
    waits.started_at.reset();
    waits.ended_at = second(200);
    all.take(waits);
    const api::TresTime time = cpus(all.report());
    EXPECT_EQ(time.count, 64);
    EXPECT_EQ(time.reported, 64 * kHour);
    EXPECT_EQ(time.allocated, 4000);
    EXPECT_EQ(time.down, 32 * 1800);
    EXPECT_EQ(time.planned, 100);
    EXPECT_EQ(time.idle, 64 * kHour - 4000 - 32 * 1800 - 100);
    EXPECT_EQ(time.overcommitted, 0);
}

// Of an array's own record, each task that waits.
TEST_F(Tally, WaitingBeyondTheRoomIsOvercommitted) {
    UsageTally all = tally();
    all.take(one_node(), all_shown);
    AccountingRecord array = run(3, 0, std::nullopt);
    array.started_at.reset();
    array.array_pending = "0-49,60%2";
    all.take(array);
    const api::TresTime time = cpus(all.report());
    EXPECT_EQ(time.planned, 32 * kHour);
    EXPECT_EQ(time.overcommitted, (51 - 32) * kHour);
    EXPECT_EQ(time.idle, 0);
}

TEST_F(Tally, OfATimeWithoutKnownNodesOnlyWhatWasAllocatedIsTold) {
    UsageTally all = tally();
    all.take(Spans{}, all_shown);
    all.take(run(1, 0, 1000));
    const api::UsageReport report = all.report();
    EXPECT_FALSE(report.nodes_since);
    EXPECT_EQ(cpus(report).allocated, 4000);
    EXPECT_EQ(cpus(report).reported, 4000);
    EXPECT_EQ(cpus(report).idle, 0);
    EXPECT_EQ(cpus(report).count, 0);
}

TEST_F(Tally, WhatAReservationKeepsIsAllocated) {
    UsageTally all = tally({.reservations = true});
    Spans spans = one_node();
    spans.reservations = {reserved(0, 1000)};
    all.take(spans, all_shown);
    EXPECT_EQ(all.runs().from, second(0));
    AccountingRecord inside = run(1, 0, 500);
    inside.request.reservation = "course";
    all.take(inside);
    all.take(run(2, 2000, 2100));
    const api::UsageReport report = all.report();
    EXPECT_EQ(cpus(report).allocated, 32 * 1000 + 400);
    ASSERT_EQ(report.reservations.size(), 1U);
    for (const api::TresTime& one : report.reservations[0].tres)
        EXPECT_TRUE(one.name == "cpu" || one.name.starts_with("gres/")) << one.name;
    const api::TresTime& kept = report.reservations[0].tres.at(0);
    EXPECT_EQ(kept.name, "cpu");
    EXPECT_EQ(kept.count, 32);
    EXPECT_EQ(kept.allocated, 2000);
    EXPECT_EQ(kept.idle, 32 * 1000 - 2000);
}

// As Slurm's rollup has it, which says so of an hour: 57600 allocated and 57600 down.
TEST_F(Tally, ANodeThatIsDownKeepsNothingForAReservation) {
    UsageTally all = tally();
    Spans spans;
    spans.since = second(-kHour);
    spans.nodes = {node("gpu1", -kHour, 1800, false), node("gpu1", 1800, std::nullopt),
                   node("gpu2", -kHour, std::nullopt)};
    spans.reservations = {reserved(0, kHour)};
    all.take(spans, all_shown);
    const api::TresTime time = cpus(all.report());
    EXPECT_EQ(time.allocated, 57600);
    EXPECT_EQ(time.down, 57600);
    EXPECT_EQ(time.idle, 32 * kHour);
}

TEST_F(Tally, WhileARunIsSuspendedItsReservationKeepsItsCpus) {
    UsageTally all = tally({.reservations = true});
    Spans spans = one_node();
    spans.reservations = {reserved(0, 1000)};
    all.take(spans, all_shown);
    AccountingRecord inside = run(1, 0, 500);
    inside.request.reservation = "course";
    inside.suspended = std::chrono::seconds(200);
    all.take(inside);
    const api::UsageReport report = all.report();
    EXPECT_EQ(cpus(report).allocated, 32 * 1000);
    EXPECT_EQ(report.reservations.at(0).tres.at(0).allocated, 4 * 300);
}

TEST_F(Tally, OfAReservationARunUsesNoCpusWhileItStandsStill) {
    UsageTally all = tally({.reservations = true});
    Spans spans = one_node();
    for (const std::int64_t began : {0, 200, 400})
        spans.reservations.push_back(reserved(began, began + 100));
    all.take(spans, all_shown);
    AccountingRecord inside = run(1, 0, 500);
    inside.request.reservation = "course";
    inside.suspended = std::chrono::seconds(170);
    inside.stood_still = {{second(30), second(50)}, {second(150), second(300)}};
    all.take(inside);
    std::string text;
    for (const api::ReservationTime& one : all.report().reservations)
        text += std::to_string(one.tres.at(0).allocated) + ", ";
    EXPECT_EQ(text, "320, 0, 400, ");
}

TEST_F(Tally, ARunIsOfTheOccurrencesThatItRanIn) {
    UsageTally all = tally({.reservations = true});
    Spans spans = one_node();
    for (std::int64_t i = 0; i < 30; ++i)
        spans.reservations.push_back(reserved(i * 100, i * 100 + 50));
    all.take(spans, all_shown);
    AccountingRecord inside = run(1, 230, 420);
    inside.request.reservation = "course";
    all.take(inside);
    std::string text;
    for (const api::ReservationTime& one : all.report().reservations) {
        const std::int64_t used = one.tres.at(0).allocated;
        if (used != 0)
            text += std::to_string(seconds(one.start) - kBegin) + " " + std::to_string(used) + ", ";
    }
    EXPECT_EQ(text, "200 80, 300 200, 400 80, ");
}

TEST_F(Tally, ANodeThatIsMaintainedIsDownAsPlanned) {
    UsageTally all = tally();
    Spans spans;
    spans.since = second(-kHour);
    spans.nodes = {node("gpu1", -kHour, 500), node("gpu1", 500, std::nullopt, false)};
    spans.reservations = {reserved(0, 1000)};
    spans.reservations[0].standing.reservation.maint = true;
    all.take(spans, all_shown);
    const api::TresTime time = cpus(all.report());
    EXPECT_EQ(time.planned_down, 32 * 1000) << "up for the first half, down for the second";
    EXPECT_EQ(time.down, 32 * (kHour - 1000));
    EXPECT_EQ(time.idle, 0);
    EXPECT_EQ(time.reported, 32 * kHour);
}

TEST_F(Tally, SumsDoNotWrapAround) {
    UsageTally all = tally();
    Spans spans = one_node();
    for (int i = 0; i < 3; ++i) {
        spans.nodes.push_back(node("gpu2", -kHour, std::nullopt));
        spans.nodes.back().standing.capacity.set_memory(Bytes(std::int64_t{1} << 62));
        spans.nodes.push_back(node("gpu3", -kHour, std::nullopt));
        spans.nodes.back().standing.capacity[DimensionId(2)] = std::int64_t{1} << 62;
    }
    all.take(spans, all_shown);
    for (const api::TresTime& one : all.report().times) {
        EXPECT_GE(one.reported, 0) << one.name;
        EXPECT_GE(one.idle, 0) << one.name;
    }
}

TEST_F(Tally, AReservationIsToldInFull) {
    UsageTally all = tally({.reservations = true});
    Spans spans = one_node();
    spans.reservations = {reserved(-500, 100), reserved(100, 2 * kHour)};
    spans.reservations[1].standing.reservation.start = second(-500);
    spans.reservations[1].standing.reservation.ignore_jobs = true;
    all.take(spans, [](const Reservation&) { return true; });
    EXPECT_EQ(all.runs().from, second(-500)) << "of its time the runs are needed, too";
    const api::UsageReport report = all.report();
    ASSERT_EQ(report.reservations.size(), 1U) << "it was changed, and is the same one";
    EXPECT_EQ(report.reservations[0].start, second(-500));
    EXPECT_EQ(report.reservations[0].end, second(2 * kHour));
    UsageTally hidden = tally({.reservations = true});
    hidden.take(spans, [](const Reservation&) { return false; });
    EXPECT_TRUE(hidden.report().reservations.empty());
    UsageTally not_asked = tally();
    not_asked.take(spans, all_shown);
    EXPECT_TRUE(not_asked.report().reservations.empty());
    EXPECT_EQ(not_asked.runs().from, second(0)) << "no run before is needed";
    // The next occurrence may follow at once.
    UsageTally daily = tally({.reservations = true});
    spans.reservations = {reserved(0, 1000), reserved(1000, 2000)};
    daily.take(spans, all_shown);
    EXPECT_EQ(daily.report().reservations.size(), 2U);
}

}  // namespace
}  // namespace berth
