// A day of a cluster, with what Slurm 22.05 made of it: these rows were put into the tables of a
// slurmdbd, which rolled them up, and its sreport printed the figures that are expected here.
#include <gtest/gtest.h>

#include "berth/server/snapshot/sample_cluster.h"
#include "berth/server/views/usage_tally.h"

namespace berth {
namespace {

constexpr std::int64_t kAMinute = 60, kAnHour = 3600, kADay = 24 * kAnHour;
constexpr std::int64_t kMidnight = 1'795'564'800;  // Of 2026-11-25, UTC.

Time of_day(std::int64_t second) { return from_seconds(kMidnight + second); }

struct Ran {
    const char* user;
    const char* account;
    std::uint32_t cpus;
    std::int64_t gpus, eligible;
    std::optional<std::int64_t> start;
    std::int64_t end;
    const char* wckey = "";
    std::int64_t suspended = 0;
    const char* reservation = "";
};

const Ran kRan[] = {
    {"games", "physics", 4, 1, -2 * kAnHour, -30 * kAMinute, 30 * kAMinute},
    {"games", "physics", 4, 1, 2 * kAnHour, 2 * kAnHour, 4 * kAnHour, "", 20 * kAMinute},
    {"news", "cells", 64, 0, 10 * kAnHour, 10 * kAnHour, 10 * kAnHour + 30 * kAMinute},
    {"news", "bio", 1, 0, 23 * kAnHour, 23 * kAnHour, 25 * kAnHour},
    {"irc", "cells", 8, 4, 16 * kAnHour, 16 * kAnHour, 21 * kAnHour, "beta"},
    {"backup", "physics", 128, 0, 3 * kAnHour, 5 * kAnHour, 5 * kAnHour + 30 * kAMinute},
    // Requeued, and run again.
    {"backup", "physics", 2, 0, 6 * kAnHour, 6 * kAnHour + 60, 6 * kAnHour + 300},
    {"backup", "physics", 2, 0, 6 * kAnHour + 300, 6 * kAnHour + 420, 6 * kAnHour + 720},
    // Tasks of an array, and components of a heterogeneous job.
    {"games", "physics", 1, 0, 7 * kAnHour, 7 * kAnHour, 7 * kAnHour + 59},
    {"games", "physics", 1, 0, 7 * kAnHour, 7 * kAnHour, 7 * kAnHour + 91},
    {"games", "physics", 3, 0, 7 * kAnHour, 7 * kAnHour, 7 * kAnHour + 600},
    {"games", "physics", 50, 0, 7 * kAnHour, 7 * kAnHour, 7 * kAnHour + 600},
    // Cancelled before they started; the second one asked for more than there is.
    {"backup", "physics", 16, 0, 18 * kAnHour, std::nullopt, 18 * kAnHour + 30 * kAMinute},
    {"games", "physics", 300, 0, 20 * kAnHour, std::nullopt, 21 * kAnHour},
    {"news", "bio", 8, 0, 12 * kAnHour, 12 * kAnHour + 900, 12 * kAnHour + 2700, "", 0, "course"},
};

class Rollup : public ::testing::Test {
protected:
    AccountingRecord record_of(const Ran& ran) const {
        AccountingRecord record;
        record.owner = {1000, 100, ran.user, "users"};
        record.account = ran.account;
        record.partition = "main";
        record.wckey = ran.wckey;
        record.request.tasks = ran.cpus;
        record.request.reservation = ran.reservation;
        record.submitted_at = record.eligible_at.emplace(of_day(ran.eligible));
        record.ended_at = of_day(ran.end);
        if (!ran.start) return record;
        record.started_at = of_day(*ran.start);
        record.suspended = std::chrono::seconds(ran.suspended);
        record.cpus = ran.cpus;
        record.allocated.set_cpu(cores(ran.cpus));
        record.allocated[*spec_.dimensions.find("gpu", "a100")] = ran.gpus;
        record.nodes = {"gpu1"};
        return record;
    }
    // Down from one time to another; up before and afterwards.
    void add_node(Spans& spans, std::uint32_t number, std::int64_t down, std::int64_t up) const {
        NodeSpan span{.name = spec_.nodes[number].name, .began = of_day(-kADay)};
        span.standing.capacity = spec_.nodes[number].capacity;
        if (down < up) {
            NodeSpan before = span, during = span;
            before.ended = during.began = of_day(down);
            during.ended = span.began = of_day(up);
            during.standing.unavailable = span.standing.capacity;
            spans.nodes.push_back(before);
            spans.nodes.push_back(during);
        }
        spans.nodes.push_back(span);
    }
    ReservationSpan reservation(const char* name, std::uint32_t node, std::int64_t began) const {
        ReservationSpan span{
            .name = name, .began = of_day(began), .ended = of_day(began + kAnHour)};
        span.standing.reservation = {.name = name, .start = span.began, .end = *span.ended};
        span.standing.reservation.amounts = {{NodeId(node), spec_.nodes[node].capacity}};
        span.standing.nodes = {spec_.nodes[node].name};
        return span;
    }
    Spans spans() const {
        Spans spans{.since = of_day(-kADay)};
        add_node(spans, 0, 0, 0);
        add_node(spans, 1, 14 * kAnHour + 900, 14 * kAnHour + 2700);
        add_node(spans, 2, 0, 0);
        add_node(spans, 3, 8 * kAnHour, 9 * kAnHour + 1800);
        spans.reservations = {reservation("course", 0, 12 * kAnHour),
                              reservation("fix", 1, 14 * kAnHour)};
        spans.reservations[1].standing.reservation.maint = true;
        return spans;
    }
    api::UsageReport report(std::int64_t from, std::int64_t until) const {
        UsageTally tally(spec_,
                         {.from = of_day(from), .until = of_day(until), .reservations = true},
                         of_day(35 * kAnHour), std::nullopt);
        tally.take(spans(), [](const Reservation&) { return true; });
        for (const Ran& ran : kRan) tally.take(record_of(ran));
        return tally.report();
    }
    static std::string times_of(const api::UsageReport& report, std::string_view tres) {
        const auto found = std::ranges::find(report.times, tres, &api::TresTime::name);
        std::string text;
        for (const std::int64_t amount :
             {found->allocated, found->down, found->planned_down, found->idle, found->planned,
              found->overcommitted, found->reported})
            text += (text.empty() ? "" : " ") + std::to_string(amount);
        return text;
    }

    ClusterSpec spec_ = sample_spec();
};

// The suspended job stood still at the end of its time, where Berth takes it to.
TEST_F(Rollup, TellsOfTheClusterWhatSlurmTells) {
    EXPECT_EQ(times_of(report(0, kADay), "cpu"),
              "672630 172800 115200 8725410 1373160 657600 11059200");
    EXPECT_EQ(times_of(report(5 * kAnHour, 6 * kAnHour), "cpu"), "230400 0 0 230400 0 0 460800");
    EXPECT_EQ(times_of(report(3 * kAnHour, 4 * kAnHour), "cpu"), "9600 0 0 0 451200 9600 460800");
    EXPECT_EQ(times_of(report(20 * kAnHour, 21 * kAnHour), "cpu"),
              "28800 0 0 0 432000 648000 460800");
    EXPECT_EQ(times_of(report(12 * kAnHour, 13 * kAnHour), "cpu"), "115200 0 0 345600 0 0 460800")
        << "a job that waits for its reservation";
    EXPECT_EQ(times_of(report(14 * kAnHour, 15 * kAnHour), "cpu"), "0 0 115200 345600 0 0 460800");
}

// But for the idle time of reservations, which counts in no account here.
TEST_F(Rollup, TellsOfUsersWhatSlurmTells) {
    std::string text;
    for (const api::UsageGroup& group : report(0, kADay).groups) {
        text += group.account + "/" + group.user + "/" + group.wckey;
        for (const api::TresSeconds& used : group.used) {
            if (used.name == "cpu" || used.name == "gres/gpu")
                text += " " + std::to_string(used.amount);
        }
        text += ", ";
    }
    EXPECT_EQ(text,
              "bio/news/ 18000, cells/irc/beta 144000 72000, cells/news/ 115200, "
              "physics/backup/ 231480, physics/games/ 63150 9000, ");
}

TEST_F(Rollup, TellsOfReservationsWhatSlurmTells) {
    const api::UsageReport all = report(0, kADay);
    ASSERT_EQ(all.reservations.size(), 2U);
    const api::TresTime& course = all.reservations[0].tres.at(0);
    EXPECT_EQ(course.allocated, 14400);
    EXPECT_EQ(course.idle, 100800);
    const api::TresTime& fix = all.reservations[1].tres.at(0);
    EXPECT_EQ(fix.allocated, 0);
    EXPECT_EQ(fix.idle, 115200);
}

}  // namespace
}  // namespace berth
