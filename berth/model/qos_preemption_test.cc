#include "berth/model/qos_preemption.h"

#include <gtest/gtest.h>

#include "berth/model/preempted_by.h"

namespace berth {
namespace {

TEST(QosPreemption, ModesAreOwnOrTheClusters) {
    QosSpec qos;
    ASSERT_TRUE(set_preempt_mode(qos, "requeue,within").ok());
    EXPECT_EQ(qos.preempt_mode, PreemptMode::requeue);
    EXPECT_TRUE(qos.preempt_within);
    EXPECT_EQ(qos_preempt_mode_text(qos), "WITHIN,REQUEUE");
    ASSERT_TRUE(set_preempt_mode(qos, "OFF").ok());
    EXPECT_EQ(qos_preempt_mode_text(qos), "OFF");
    EXPECT_FALSE(qos.preempt_within);
    ASSERT_TRUE(set_preempt_mode(qos, "Cluster").ok());
    EXPECT_EQ(qos_preempt_mode_text(qos), "");
    EXPECT_FALSE(set_preempt_mode(qos, "within").ok());
    for (const char* text : {"suspend", "gang,suspend", "SUSPEND,GANG"}) {
        ASSERT_TRUE(set_preempt_mode(qos, text).ok()) << text;
        EXPECT_EQ(qos.preempt_mode, PreemptMode::suspend);
        EXPECT_EQ(qos_preempt_mode_text(qos), "GANG,SUSPEND");
    }
    ASSERT_TRUE(set_preempt_mode(qos, "within,checkpoint").ok());
    EXPECT_EQ(qos.preempt_mode, PreemptMode::checkpoint);
    EXPECT_EQ(qos_preempt_mode_text(qos), "WITHIN,CHECKPOINT");
    for (const char* text : {"gang", "gang,cancel", "checkpoint,cancel", "suspend,cancel"})
        EXPECT_FALSE(set_preempt_mode(qos, text).ok()) << text;
}

TEST(QosPreemption, TimesAreSecondsAndLengths) {
    QosSpec qos;
    ASSERT_TRUE(set_grace_time(qos, "90").ok());
    EXPECT_EQ(qos.grace_time, std::chrono::seconds(90));
    ASSERT_TRUE(set_grace_time(qos, "-1").ok());
    EXPECT_EQ(qos.grace_time, Duration{});
    for (const char* wrong : {"abc", "1:00", "-2", "99999999999"})
        EXPECT_FALSE(set_grace_time(qos, wrong).ok()) << wrong;
    ASSERT_TRUE(set_preempt_exempt(qos, "10").ok());
    EXPECT_EQ(qos.preempt_exempt, std::chrono::minutes(10));
    ASSERT_TRUE(set_preempt_exempt(qos, "0").ok());
    EXPECT_EQ(qos.preempt_exempt, Duration{});
    ASSERT_TRUE(set_preempt_exempt(qos, "-1").ok());
    EXPECT_EQ(qos.preempt_exempt, std::nullopt);
    EXPECT_FALSE(set_preempt_exempt(qos, "soon").ok());
}

TEST(QosPreemption, LoopsAreFoundThroughOthers) {
    std::vector<QosSpec> all = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    all[0].preempt = {"b", "c"};
    all[1].preempt = {"c"};
    EXPECT_EQ(find_preemption_loop(all), std::nullopt);
    all[2].preempt = {"a"};
    EXPECT_EQ(find_preemption_loop(all), "a");
    all[0].gone = true;  // What it preempted no longer counts.
    EXPECT_EQ(find_preemption_loop(all), std::nullopt);
    all[1].preempt = {"b"};
    EXPECT_EQ(find_preemption_loop(all), "b");
}

TEST(QosPreemption, TheReasonNamesThePreemptor) {
    EXPECT_EQ(preempted_by_text(JobId(900)), "Preempted by job 900");
    EXPECT_EQ(preemptor_of("Preempted by job 900"), JobId(900));
    EXPECT_FALSE(is_checkpoint_timeout(preempted_by_text(JobId(900))));
    EXPECT_EQ(checkpoint_timeout_text(JobId(7)), "Preempted by job 7: checkpoint timeout");
    EXPECT_EQ(preemptor_of(checkpoint_timeout_text(JobId(7))), JobId(7));
    EXPECT_TRUE(is_checkpoint_timeout(checkpoint_timeout_text(JobId(7))));
    for (const char* other : {"", "TimeLimit", "Preempted by job ", "Preempted by job x",
                              "Preempted by job x: checkpoint timeout", ": checkpoint timeout"}) {
        EXPECT_EQ(preemptor_of(other), std::nullopt) << other;
        EXPECT_FALSE(is_checkpoint_timeout(other)) << other;
    }
}

}  // namespace
}  // namespace berth
