#include "berth/report/muri_loop.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace berth::report {
namespace {

using workload::MuriJob;

// One node's worth of jobs, worked out by hand: iterations of 1.015 s.
TEST(MuriLoop, ChargesTheStartAtEachEvent) {
    const std::vector<MuriJob> jobs = {
        {.gpus = 64, .iterations = 100, .iteration_ms = 1000, .model = "bert"},
        {.gpus = 64, .submit_ms = 20'000, .iterations = 10, .iteration_ms = 1000, .model = "bert"}};
    // At 20 s the first has done 10 s of work and is put off. The second ends at 30.15; its own
    // end is what its remaining iterations say, without any cost. The first has 91.5 s left.
    const MuriFigures figures = run_muri(jobs, MuriPolicy::srtf);
    EXPECT_EQ(figures.jobs, 2U);
    EXPECT_EQ(figures.preemptions, 1U);
    EXPECT_NEAR(figures.makespan, 121.65, 1e-9);
    EXPECT_NEAR(figures.average_jct, (121.65 + 10.15) / 2, 1e-9);
}

TEST(MuriLoop, PassesOverWhatDoesNotFit) {
    const std::vector<MuriJob> jobs = {{.gpus = 4, .iterations = 10, .iteration_ms = 1000},
                                       {.gpus = 64, .iterations = 20, .iteration_ms = 1000},
                                       {.gpus = 8, .iterations = 30, .iteration_ms = 1000}};
    const MuriFigures figures = run_muri(jobs, MuriPolicy::srtf);
    EXPECT_EQ(figures.jobs, 3U);
    // The third starts with the first, is put off for the second, and goes on after it.
    EXPECT_EQ(figures.preemptions, 1U);
}

TEST(MuriLoop, KnowsWhatAStartCosts) {
    EXPECT_EQ(muri_start_cost("a2c", 1), 38);
    EXPECT_EQ(muri_start_cost("vgg19", 16), 10);
    EXPECT_EQ(muri_start_cost("shufflenet_v2_x1_0", 32), 8);
    EXPECT_EQ(muri_start_cost("other", 4), 10);
}

// Figures 9 and 10 of the paper, as its repository has them.
TEST(MuriLoop, ComesToThePublishedDigits) {
    const char* const shared = std::getenv("BERTH_SHARED");
    const std::string folder =
        (shared != nullptr ? std::string(shared) : std::string(BERTH_SOURCE_DIR) + "/../shared") +
        "/traces/muri/";
    if (!std::ifstream(folder + "trace1.csv")) {
        GTEST_SKIP() << "SKIPPED: needs the traces, which are not in " << folder;
    }
    struct Published {
        const char* trace;
        MuriPolicy policy;
        double average_jct, makespan, p99_jct;
    };
    const Published all[] = {
        {"trace1", MuriPolicy::srtf, 1370603.198, 26045465.532945, 16647148.09074},
        {"trace1", MuriPolicy::srsf, 980140.5699, 26065759.044845, 15529913.227905},
        {"trace1", MuriPolicy::tiresias, 3330371.307, 23556410.217355, 14739851.5052},
        {"trace1_pr", MuriPolicy::srtf, 2303543.816, 24513543.937825, 19871388.29092},
        {"trace1_pr", MuriPolicy::srsf, 1801859.995, 24272529.59311, 18267307.81112},
        {"trace1_pr", MuriPolicy::tiresias, 6921682.793, 21990477.824095, 21765400.784095},
        {"trace3", MuriPolicy::srtf, 193081.796, 8174135.28, 4538890.607},
        {"trace3", MuriPolicy::srsf, 185021.8802, 8174135.28, 4189699.177},
        {"trace3", MuriPolicy::tiresias, 347213.2481, 8174226.28, 4983397.254},
        {"trace3_pr", MuriPolicy::srtf, 844394.78, 7261795.828, 6363099.549},
        {"trace3_pr", MuriPolicy::srsf, 798057.6829, 6907790.403, 6228160.594},
        {"trace3_pr", MuriPolicy::tiresias, 2213110.128, 6761641.42, 6739568.999}};
    for (const Published& one : all) {
        std::ifstream file(folder + one.trace + ".csv", std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        const auto trace = workload::read_muri_jobs(text.str());
        ASSERT_TRUE(trace.ok());
        const MuriFigures ours = run_muri(trace->jobs, one.policy);
        EXPECT_NEAR(ours.average_jct / one.average_jct, 1, 1e-8) << one.trace;
        EXPECT_NEAR(ours.makespan / one.makespan, 1, 1e-8) << one.trace;
        EXPECT_NEAR(ours.p99_jct / one.p99_jct, 1, 1e-8) << one.trace;
    }
}

}  // namespace
}  // namespace berth::report
