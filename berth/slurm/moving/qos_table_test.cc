#include "berth/slurm/moving/qos_table.h"

#include <gtest/gtest.h>

#include "berth/model/limit_keys.h"

namespace berth::slurm {
namespace {

// As Debian's Slurm 22.05 prints it.
const std::string kQosHeader =
    "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|UsageFactor|"
    "GrpTRES|GrpTRESMins|GrpTRESRunMins|GrpJobs|GrpSubmit|GrpWall|MaxTRES|MaxTRESPerNode|"
    "MaxTRESMins|MaxWall|MaxTRESPU|MaxJobsPU|MaxSubmitPU|MaxTRESPA|MaxJobsPA|MaxSubmitPA|MinTRES\n";
const std::string kNormal = "normal|10|00:00:00|||cluster|||1.000000|||||||||||||||||\n";

std::string remarks_text(const Remarks& remarks) {
    std::string text;
    for (const Remark& one : remarks) text += std::to_string(one.line) + ": " + one.message + "\n";
    return text;
}

TEST(MovedQos, ReadsWhatSlurmPrints) {
    const auto table = read_qos_table(
        kQosHeader + kNormal +
        "high|100|00:00:30|idle,normal||requeue|DenyOnLimit||0.500000|||||9|||||02:00:00|"
        "gres/gpu=4|3|||||cpu=2\n"
        "idle|1|1-00:00:00|||cluster|||1.000000|||||||||||||||||\n");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(remarks_text(table->remarks), "");
    ASSERT_EQ(table->qos.size(), 3U);
    EXPECT_EQ(table->qos[0].name, "normal");
    EXPECT_EQ(table->qos[0].priority, 10);
    EXPECT_FALSE(table->qos[0].preempt_mode);
    const QosSpec& high = table->qos[1];
    EXPECT_EQ(high.grace_time, std::chrono::seconds(30));
    EXPECT_EQ(high.preempt, (std::vector<std::string>{"idle", "normal"}));
    EXPECT_TRUE(high.preempt_mode);
    EXPECT_TRUE(high.deny_on_limit);
    EXPECT_EQ(high.usage_factor, kPpmOne / 2);
    EXPECT_EQ(high.max_wall, std::chrono::hours(2));
    EXPECT_EQ(high.limits.max_jobs, 3U);
    EXPECT_EQ(high.limits.group_submitted, 9U);
    EXPECT_EQ(limit_text(high.limits, *find_limit_key("MaxTRESPU", kOfQos)), "gres/gpu=4");
    EXPECT_EQ(table->qos[2].grace_time, std::chrono::hours(24));
}

TEST(MovedQos, NamesWhatIsRefusedAndMovesTheRest) {
    const auto table = read_qos_table(
        "Name|Priority|Flags|GrpTRESMins|Preempt|MaxTRESPU|\n"
        "a|5|DenyOnLimit,NoDecay|cpu=100|b,gone|cpu=4|\n"
        "b|1|||a||\n"
        "b|1|||||\n"
        "c|high|||||\n"
        "d|1|\n"
        "|1|||||\n"
        "e f|1|||||\n");
    ASSERT_TRUE(table.ok()) << table.error().message;
    EXPECT_EQ(remarks_text(table->remarks),
              "2: QOS a: Flag nodecay of a QOS is not supported yet\n"
              "2: QOS a: GrpTRESMins is not supported yet: GrpTRESMins=cpu=100; instead: fair "
              "share, or a queue with a quota (docs/policy.md)\n"
              "4: QOS b stands in the table twice\n"
              "5: QOS c: Bad Priority value: high\n"
              "6: it has 3 fields, and the header 7\n"
              "7: a QOS has a name\n"
              "8: 'e f' is no name for a QOS\n"
              "2: QOS a: Preempt names gone, which is not there\n"
              "2: QOS a: Preempt leads back to it\n");
    ASSERT_EQ(table->qos.size(), 3U);
    EXPECT_TRUE(table->qos[0].deny_on_limit);
    EXPECT_TRUE(table->qos[0].preempt.empty());
    EXPECT_EQ(table->qos[1].preempt, std::vector<std::string>{"a"});
    EXPECT_EQ(table->qos[2].name, "c");
}

TEST(MovedQos, SaysThatATextIsNoTable) {
    EXPECT_EQ(read_qos_table("").error().message,
              "line 1: nothing is there; make the file with: sacctmgr -P show qos");
    EXPECT_EQ(read_qos_table("\n\nPriority|Flags\n").error().message,
              "line 3: there is no column Name; make the file with: sacctmgr -P show qos");
}

}  // namespace
}  // namespace berth::slurm
