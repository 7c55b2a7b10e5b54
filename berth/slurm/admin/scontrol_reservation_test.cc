#include "berth/slurm/admin/scontrol_reservation.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;
const Time kNow = Time(std::chrono::hours(24 * 365));

TEST(ScontrolReservation, ReadsWhatSlurmWrites) {
    const auto call =
        parse_reservation({"ReservationName=train", "StartTime=now+1hour", "Duration=60",
                           "Nodes=gpu[1-2]", "Users=ann,ben", "Flags=MAINT,DAILY", "Accounts=-bio"},
                          kNow);
    ASSERT_TRUE(call.ok()) << call.error().message;
    EXPECT_EQ(call->name, "train");
    EXPECT_EQ(call->change.start, kNow + std::chrono::hours(1));
    EXPECT_EQ(call->change.duration, Duration(std::chrono::hours(1)));
    EXPECT_EQ(call->change.nodes, "gpu[1-2]");
    EXPECT_EQ(call->change.users, (Strings{"ann", "ben"}));
    EXPECT_EQ(call->change.accounts, (Strings{"-bio"}));
    EXPECT_EQ(call->change.flags_added, (Strings{"MAINT", "DAILY"}));
    EXPECT_TRUE(check_new_reservation(call->change).ok());
}

TEST(ScontrolReservation, ChangesListsByTheirSigns) {
    const auto call =
        parse_reservation({"Reservation=train", "Users+=cat", "Users-=ann", "Flags=-MAINT"}, kNow);
    ASSERT_TRUE(call.ok());
    EXPECT_FALSE(call->change.users);
    EXPECT_EQ(call->change.users_added, Strings{"cat"});
    EXPECT_EQ(call->change.users_removed, Strings{"ann"});
    EXPECT_EQ(call->change.flags_removed, Strings{"MAINT"});
}

TEST(ScontrolReservation, SaysWhatIsMissingInSlurmsWords) {
    struct Case {
        Strings words;
        const char* says;
    };
    const Case cases[] = {
        {{"starttime=now", "duration=60"},
         "CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified.  No "
         "reservation created."},
        {{"starttime=now", "duration=60", "nodes=gpu1"},
         "Either Users/Groups and/or Accounts must be specified.  No reservation created."},
        {{"starttime=now", "nodes=gpu1", "users=ann"},
         "An end time or duration must be given.  No reservation created."},
        {{"duration=5", "nodes=gpu1", "users=ann"},
         "A start time must be given.  No reservation created."},
    };
    for (const Case& one : cases) {
        const auto call = parse_reservation(one.words, kNow);
        ASSERT_TRUE(call.ok());
        const Status complete = check_new_reservation(call->change);
        ASSERT_FALSE(complete.ok());
        EXPECT_EQ(complete.error().message, one.says);
    }
    EXPECT_EQ(parse_reservation({"nosuch=3"}, kNow).error().message, "Unknown parameter nosuch=3");
    EXPECT_FALSE(parse_reservation({"licenses=matlab:2"}, kNow).ok());
}

}  // namespace
}  // namespace berth::slurm
