#include "berth/config/slurm_differences.h"

#include <gtest/gtest.h>

namespace berth::config {
namespace {

std::string differences_of(const std::string& slurm, const std::string& included = "") {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", slurm};
    if (!included.empty()) files.included.push_back({"more.conf", included});
    std::string text;
    for (const Finding& finding : slurm_differences(files)) text += to_string(finding) + "\n";
    return text;
}

TEST(SlurmDifferences, NamesTheLineOfEachKey) {
    const std::string text = differences_of("DefMemPerCPU=1000\nslurmdtimeout=300\n",
                                            "# more\nNodeName=c[1-2] State=CLOUD\n");
    EXPECT_NE(text.find("slurm.conf:2: warning: SlurmdTimeout: a node that is silent"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("more.conf:2: warning: State=CLOUD: there is no power saving"),
              std::string::npos)
        << text;
}

TEST(SlurmDifferences, IsSilentWhereNothingIsAskedFor) {
    EXPECT_EQ(differences_of("DefMemPerNode=1000\nUsePAM=0\nInactiveLimit=0\n"
                             "PreemptType=preempt/none\nPriorityUsageResetPeriod=NONE\n"
                             "PrologSlurmctld=(null)\nSchedulerType=sched/builtin\n"),
              "");
}

TEST(SlurmDifferences, SaysWhatMemoryAJobHasWithoutADefault) {
    for (const char* none : {"ClusterName=lab\n", "DefMemPerNode=0\n", "DefMemPerCPU=UNLIMITED\n",
                             "PartitionName=p DefMemPerGPU=2000\n"}) {
        EXPECT_NE(
            differences_of(none).find("slurm.conf: warning: no DefMemPerCPU and no DefMemPerNode"),
            std::string::npos)
            << none;
    }
    EXPECT_EQ(differences_of("PartitionName=p DefMemPerCPU=2000\n"), "");
    EXPECT_EQ(differences_of("\"\n=\n===\nInclude\n").find("error"), std::string::npos);
}

}  // namespace
}  // namespace berth::config
