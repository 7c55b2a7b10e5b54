#include "berth/slurm/moving/moved_reservations.h"

#include <gtest/gtest.h>

#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;
const Time kMovedAt = Time(std::chrono::hours(24 * 365 * 50));  // In December of 2019.

std::string at(Duration later) { return local_time(kMovedAt + later, ""); }
constexpr Duration kHour = std::chrono::hours(1);

std::string record(const std::string& name, Duration start, Duration end, const std::string& rest) {
    return "ReservationName=" + name + " StartTime=" + at(start) + " EndTime=" + at(end) +
           " Duration=01:00:00 " + rest + "\n";
}
const std::string kRest =
    " Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a "
    "MaxStartDelay=(null)";

std::string texts_of(const Remarks& remarks) {
    std::string text;
    for (const Remark& one : remarks) text += std::to_string(one.line) + ": " + one.message + "\n";
    return text;
}

TEST(MovedReservations, ReadsWhatSlurmPrints) {
    const MovedReservations moved = read_reservations(
        record("maint", kHour, 2 * kHour,
               "Nodes=gpu[1-2] NodeCnt=2 CoreCnt=64 Features=(null) PartitionName=main "
               "Flags=MAINT,IGNORE_JOBS,SPEC_NODES TRES=cpu=64 Users=root Groups=(null)" +
                   kRest) +
            record("all", -kHour, kHour,
                   "Nodes=gpu[1-4] NodeCnt=4 CoreCnt=128 Features=a100 PartitionName=(null) "
                   "Flags=SPEC_NODES,ALL_NODES TRES=cpu=128 Users=-ann Groups=(null)" +
                       kRest + " Comment=the yearly check of all"),
        kMovedAt);
    EXPECT_EQ(texts_of(moved.remarks), "");
    ASSERT_EQ(moved.reservations.size(), 2U);
    const api::ReservationCall& maint = moved.reservations[0].call;
    EXPECT_EQ(maint.name, "maint");
    EXPECT_EQ(maint.change.start, kMovedAt + kHour);
    EXPECT_EQ(maint.change.end, kMovedAt + 2 * kHour);
    EXPECT_EQ(maint.change.nodes, "gpu[1-2]");
    EXPECT_FALSE(maint.change.core_count) << "whole nodes";
    EXPECT_EQ(maint.change.partition, "main");
    EXPECT_EQ(maint.change.users, Strings{"root"});
    EXPECT_EQ(maint.change.flags_added, (Strings{"MAINT", "IGNORE_JOBS"}));
    const api::ReservationCall& all = moved.reservations[1].call;
    EXPECT_EQ(all.change.nodes, "ALL");
    EXPECT_EQ(all.change.features, "a100");
    EXPECT_EQ(all.change.comment, "the yearly check of all");
    EXPECT_LT(*all.change.start, kMovedAt) << "it has begun";
}

TEST(MovedReservations, ReadsRecordsOverSeveralLines) {
    std::string text = record("half", kHour, 2 * kHour,
                              "Nodes=gpu[1-2] NodeCnt=2 CoreCnt=8 Features=(null) "
                              "Flags=SPEC_NODES TRES=cpu=8,gres/gpu=2 Users=ann" +
                                  kRest);
    text.replace(text.find(" Nodes="), 1, "\n   ");
    const MovedReservations moved = read_reservations(
        text + "     NodeName=gpu1 CoreIDs=0-3\n     NodeName=gpu2 CoreIDs=0-3\n\n", kMovedAt);
    EXPECT_EQ(texts_of(moved.remarks),
              "1: reservation half: it reserves gres/gpu=2, and Berth chooses which, with their "
              "cores\n");
    ASSERT_EQ(moved.reservations.size(), 1U);
    EXPECT_EQ(moved.reservations[0].call.change.tres, "gres/gpu=2");
}

TEST(MovedReservations, NamesWhatDoesNotMove) {
    const std::string nodes = "Nodes=n1 NodeCnt=1 Users=ann" + kRest;
    struct Case {
        std::string text, says;
        std::size_t moved;
    };
    const Case cases[] = {
        {"", "", 0},
        {"No reservations in the system\n", "", 0},
        {"hello\n", "1: a record begins with ReservationName=, and this line does not\n", 0},
        {record("old", -2 * kHour, -kHour, nodes),
         "1: reservation old: it has ended and is left out\n", 0},
        {record("daily", -kHour, kHour, "Flags=DAILY " + nodes),
         "1: reservation daily: it recurs and has begun: import it again after " + at(kHour) +
             ", or make its next one\n",
         0},
        {record("x", kHour, 2 * kHour, "Flags=MAGNETIC,MAINT " + nodes),
         "1: reservation x: flag MAGNETIC is not supported yet\n", 1},
        {record("y", kHour, 2 * kHour, "Nodes=n1 Users=ann Licenses=matlab:2"),
         "1: reservation y: Licenses=matlab:2 of a reservation is not supported\n", 1},
        {record("z", kHour, 2 * kHour, "Nodes= Users=ann"),
         "1: reservation z: CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be "
         "specified.  No reservation created.\n",
         0},
        {record("types", kHour, 2 * kHour,
                "Nodes=n[1-2] TRES=cpu=8,gres/gpu=4,gres/gpu:a100=2,gres/gpu:v100=2 Users=ann"),
         "1: reservation types: it reserves gres/gpu:a100=2,gres/gpu:v100=2, and a reservation "
         "here is of one type of GPU: make one for each\n",
         0},
        {"ReservationName=t StartTime=soon EndTime=later Nodes=n1 Users=ann\n",
         "1: reservation t: Invalid time specification: soon\n", 0},
        {record("twice", kHour, 2 * kHour, "Users=ann Nodes=n1 Comment=x Users=root"),
         "1: reservation twice: Users stands in it twice: a name or a comment looks like another "
         "key\n",
         0},
        {record("cut", kHour, 2 * kHour, "Users=ann Nodes=n1 Comment=x") + "y\n",
         "2: a record begins with ReservationName=, and this line does not\n"
         "1: reservation cut: a line that belongs to no record follows it\n",
         0},
        {"ReservationName= StartTime=now\n", "1: reservation : it has no name\n", 0},
    };
    for (const Case& one : cases) {
        const MovedReservations moved = read_reservations(one.text, kMovedAt);
        EXPECT_EQ(texts_of(moved.remarks), one.says) << one.text;
        EXPECT_EQ(moved.reservations.size(), one.moved) << one.text;
    }
}

}  // namespace
}  // namespace berth::slurm
