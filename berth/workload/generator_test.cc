#include "berth/workload/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace berth::workload {
namespace {

TEST(Generator, GivesTheSameJobsForASeed) {
    for (const Mix& mix : mixes()) {
        const GeneratorOptions options{.jobs = 500, .seed = 3};
        EXPECT_EQ(generate(mix.name, options)->jobs, generate(mix.name, options)->jobs);
        EXPECT_NE(generate(mix.name, options)->jobs,
                  generate(mix.name, {.jobs = 500, .seed = 4})->jobs);
    }
    EXPECT_EQ(generate("nothing", {}).error().message,
              "there is no mix 'nothing' to generate; there are philly, venus");
}

std::map<std::int64_t, double> shares_of(const Workload& workload) {
    std::map<std::int64_t, double> shares;
    for (const TraceJob& job : workload.jobs) {
        shares[job.gpus] += 100.0 / static_cast<double>(workload.jobs.size());
    }
    return shares;
}

Duration median_of(const Workload& workload, std::int64_t gpus) {
    std::vector<Duration> times;
    for (const TraceJob& job : workload.jobs) {
        if (job.gpus == gpus) times.push_back(job.run_time);
    }
    std::ranges::sort(times);
    return times.at(times.size() / 2);
}

// Figures of papers.md, section 3.
TEST(Generator, LooksLikePhilly) {
    const Workload workload = *generate("philly", {.jobs = 100'000});
    auto shares = shares_of(workload);
    EXPECT_NEAR(shares[1], 93.17, 0.5);
    EXPECT_NEAR(shares[2], 2.21, 0.2);
    EXPECT_NEAR(shares[4], 2.27, 0.2);
    EXPECT_NEAR(shares[8], 2.00, 0.2);
    EXPECT_NEAR(static_cast<double>(median_of(workload, 1).count()) / 1000, 1117, 60);
    EXPECT_NEAR(static_cast<double>(median_of(workload, 8).count()) / 1000, 23'684, 4000);
    double sum = 0;
    for (const TraceJob& job : workload.jobs) sum += static_cast<double>(job.run_time.count());
    EXPECT_NEAR(sum / 1e8, 13'136, 2500);  // The mean, in seconds.
    EXPECT_NEAR(static_cast<double>(workload.jobs.back().submit.count()) / 1e8, 114, 20);
    const auto largest = std::ranges::count(workload.jobs, "account1", &TraceJob::account);
    EXPECT_NEAR(static_cast<double>(largest), 50'100, 1000);
}

TEST(Generator, LooksLikeVenus) {
    const Workload workload = *generate("venus", {.jobs = 100'000});
    auto shares = shares_of(workload);
    EXPECT_NEAR(shares[1], 52.5, 1);
    EXPECT_NEAR(shares[8], 22.6, 1);
    EXPECT_NEAR(shares[16] + shares[32] + shares[64], 10.3, 1);
    const auto failed = std::ranges::count(workload.jobs, Outcome::failed, &TraceJob::outcome);
    EXPECT_NEAR(static_cast<double>(failed) / 1000, 20.2, 1);
}

TEST(Generator, StaysWithinTheCluster) {
    const Workload workload = *generate("venus", {.jobs = 2000, .gpus_max = 8});
    EXPECT_EQ(workload.jobs.size(), 2000U);
    for (const TraceJob& job : workload.jobs) EXPECT_LE(job.gpus, 8);
}

}  // namespace
}  // namespace berth::workload
