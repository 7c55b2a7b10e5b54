#include "berth/slurm/tables/squeue_filter.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

using namespace std::chrono_literals;

const Time kAt = from_seconds(1'000'000);

api::JobRow running_since(Duration ago) {
    api::JobRow row;
    row.state = "RUNNING";
    row.owner.user = "ann";
    row.qos = "high";
    row.started_at = kAt - ago;
    return row;
}

TEST(SqueueFilter, TakesEveryJobUnlessItIsTold) {
    EXPECT_TRUE(SqueueFilter{}.takes(running_since(1h), kAt));
    EXPECT_EQ(SqueueFilter{}.letters(), "");
}

TEST(SqueueFilter, OfRunningTimesIsMetByRunningJobsAlone) {
    SqueueFilter over, under;
    ASSERT_TRUE(over.set_over("1:00:00").ok());
    ASSERT_TRUE(under.set_under("60").ok());
    api::JobRow waiting = running_since(0s);
    waiting.state = "PENDING";
    waiting.started_at.reset();
    EXPECT_FALSE(over.takes(waiting, kAt));
    EXPECT_FALSE(under.takes(waiting, kAt));
    EXPECT_TRUE(over.takes(running_since(3601s), kAt));
    EXPECT_FALSE(over.takes(running_since(1h), kAt)) << "over, not at least";
    EXPECT_TRUE(under.takes(running_since(3599s), kAt));
    EXPECT_FALSE(under.takes(running_since(1h), kAt));
    EXPECT_EQ(over.letters(), "MT");
}

TEST(SqueueFilter, RefusesWhatIsNoTimeAndSaysWhatIs) {
    SqueueFilter filter;
    for (const char* wrong : {"", "soon", "UNLIMITED", "-5"}) {
        const Status read = filter.set_over(wrong);
        ASSERT_FALSE(read.ok()) << wrong;
        EXPECT_NE(read.error().message.find("it takes 30, 30:00"), std::string::npos);
    }
}

TEST(SqueueFilter, OfUsersQosAndReservationsAsksForTheirFields) {
    SqueueFilter filter{.not_user = "ann"};
    EXPECT_FALSE(filter.takes(running_since(1h), kAt));
    EXPECT_EQ(filter.letters(), "u");
    filter.not_user = "bob";
    filter.qos = {"low", "high"};
    EXPECT_TRUE(filter.takes(running_since(1h), kAt));
    EXPECT_EQ(filter.letters(), "qu");
    filter.qos = {"low"};
    EXPECT_FALSE(filter.takes(running_since(1h), kAt));
    SqueueFilter reserved{.reservations = {"week", "day"}};
    EXPECT_FALSE(reserved.takes(running_since(1h), kAt));
    EXPECT_EQ(reserved.letters(), std::nullopt) << "no letter of -o has it";
    api::JobRow within = running_since(1h);
    within.request.reservation = "day";
    EXPECT_TRUE(reserved.takes(within, kAt));
}

}  // namespace
}  // namespace berth::slurm
