#include "berth/slurm/text/usage_text.h"

#include <gtest/gtest.h>

namespace berth::slurm {
namespace {

TEST(UsageText, IsExactInTheLargestUnit) {
    EXPECT_EQ(exact_size(1084 * 1024), "1084K");
    EXPECT_EQ(exact_size(5 << 20), "5M");
    EXPECT_EQ(exact_size(1025), "1025");
    EXPECT_EQ(exact_size(0), "0");
}

TEST(UsageText, HasThousandthsBelowAnHour) {
    EXPECT_EQ(cpu_text(0), "00:00:00");
    EXPECT_EQ(cpu_text(61'250), "01:01.250");
    EXPECT_EQ(cpu_text(3'600'999), "01:00:00");
    EXPECT_EQ(cpu_text(90'000'000), "1-01:00:00");
}

TEST(UsageText, SaysWhatATaskUsedAndWhatAllDid) {
    StepTotals used;
    add(used, {.user = Duration(3000), .system = Duration(1000), .rss_max = mib(8), .tasks = 2},
        "n1");
    add(used, {.user = Duration(2000), .system = Duration(0), .rss_max = mib(4), .tasks = 1}, "n2");
    EXPECT_EQ(max_rss(used), "8M");
    EXPECT_EQ(max_rss_node(used), "n1");
    EXPECT_EQ(ave_rss(used), "4M");
    EXPECT_EQ(ave_cpu(used), "00:00:02");
    EXPECT_EQ(min_cpu_node(used), "n2");
    EXPECT_EQ(usage_total(used), "cpu=00:00:06,mem=12M");
    EXPECT_EQ(max_rss(std::nullopt), "");
}

}  // namespace
}  // namespace berth::slurm
