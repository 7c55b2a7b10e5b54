#include "berth/workload/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <vector>

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

double seconds_between(Duration from, Duration to) {
    return static_cast<double>((to - from).count()) / 1000;
}

Duration median_of(const Workload& workload, std::int64_t gpus) {
    std::vector<Duration> times;
    for (const TraceJob& job : workload.jobs) {
        if (job.gpus == gpus) times.push_back(job.run_time);
    }
    std::ranges::sort(times);
    return times.at(times.size() / 2);
}

// What papers say of the cluster that a mix is made after: see docs/simulator.md for what is not
// known. Each figure is looked at over ten seeds: the mean within `of_mean` of it, each seed within
// `of_each`; where that is 0, in proportion, both 0.1.
struct Figure {
    const char* name;
    double wanted = 0, of_mean = 0, of_each = 0;
    double (*of)(const Workload& workload);
};

constexpr std::size_t kJobs = 50'000;
double percent(std::ptrdiff_t count) { return 100.0 * static_cast<double>(count) / kJobs; }

template <int gpus>
double share_of_size(const Workload& workload) {
    return percent(std::ranges::count(workload.jobs, gpus, &TraceJob::gpus));
}
template <int gpus>
double median_seconds(const Workload& workload) {
    return static_cast<double>(median_of(workload, gpus).count()) / 1000;
}
// The run time that so many thousandths of all jobs stay below.
template <int thousandths>
double quantile(const Workload& workload) {
    std::vector<Duration> times;
    times.reserve(workload.jobs.size());
    for (const TraceJob& job : workload.jobs) times.push_back(job.run_time);
    std::ranges::sort(times);
    return static_cast<double>(times[times.size() * thousandths / 1000].count()) / 1000;
}
double mean_seconds(const Workload& workload) {
    double sum = 0;
    for (const TraceJob& job : workload.jobs)
        sum += static_cast<double>(job.run_time.count()) / 1000;
    return sum / kJobs;
}
// Share of the GPU time, in percent.
template <int gpus>
double work_of_size(const Workload& workload) {
    double all = 0, own = 0;
    for (const TraceJob& job : workload.jobs) {
        const double work =
            static_cast<double>(job.run_time.count()) * static_cast<double>(job.gpus);
        all += work;
        own += job.gpus == gpus ? work : 0;
    }
    return 100 * own / all;
}
std::vector<double> gaps_of(const Workload& workload) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < workload.jobs.size(); ++i) {
        gaps.push_back(seconds_between(workload.jobs[i - 1].submit, workload.jobs[i].submit));
    }
    return gaps;
}
double mean_gap(const Workload& workload) {
    return seconds_between(Duration(0), workload.jobs.back().submit) / kJobs;
}
double median_gap(const Workload& workload) {
    std::vector<double> gaps = gaps_of(workload);
    std::ranges::sort(gaps);
    return gaps[gaps.size() / 2];
}
double gaps_under_a_second(const Workload& workload) {
    return percent(std::ranges::count_if(gaps_of(workload), [](double gap) { return gap < 1; }));
}
template <Outcome outcome>
double share_of_outcome(const Workload& workload) {
    return percent(std::ranges::count(workload.jobs, outcome, &TraceJob::outcome));
}
double share_of_largest_account(const Workload& workload) {
    return percent(std::ranges::count(workload.jobs, "account1", &TraceJob::account));
}
double share_of_largest_user(const Workload& workload) {
    return percent(std::ranges::count(workload.jobs, "user1_1", &TraceJob::user));
}
double share_over_8(const Workload& workload) {
    return percent(
        std::ranges::count_if(workload.jobs, [](const TraceJob& job) { return job.gpus > 8; }));
}

void check(std::string_view mix, std::span<const Figure> figures) {
    constexpr int kSeeds = 10;
    std::vector<Workload> workloads;
    for (int seed = 1; seed <= kSeeds; ++seed) {
        workloads.push_back(
            *generate(mix, {.jobs = kJobs, .seed = static_cast<std::uint64_t>(seed)}));
    }
    for (const Figure& figure : figures) {
        double sum = 0;
        const double each = figure.of_each > 0 ? figure.of_each : figure.wanted * 0.1;
        for (const Workload& workload : workloads) {
            const double value = figure.of(workload);
            EXPECT_NEAR(value, figure.wanted, each) << mix << ": " << figure.name;
            sum += value;
        }
        const double of_mean = figure.of_mean > 0 ? figure.of_mean : figure.wanted * 0.1;
        EXPECT_NEAR(sum / kSeeds, figure.wanted, of_mean) << mix << ": mean " << figure.name;
    }
}

TEST(Generator, LooksLikePhilly) {
    check("philly", std::to_array<Figure>({
                        {"1 GPU, %", 93.17, 0.2, 0.5, share_of_size<1>},
                        {"2 GPUs, %", 2.21, 0.1, 0.2, share_of_size<2>},
                        {"4 GPUs, %", 2.27, 0.1, 0.2, share_of_size<4>},
                        {"8 GPUs, %", 2.00, 0.1, 0.2, share_of_size<8>},
                        {"16 GPUs, %", 0.24, 0.03, 0.1, share_of_size<16>},
                        {"run time, 10 %", 61, 0, 0, quantile<100>},
                        {"run time, 25 %", 115, 40, 50, quantile<250>},
                        {"run time, median", 1144, 0, 0, quantile<500>},
                        {"run time, 75 %", 2932, 300, 400, quantile<750>},
                        {"run time, 90 %", 11'265, 1000, 1500, quantile<900>},
                        {"run time, 99 %", 254'758, 26'000, 50'000, quantile<990>},
                        {"run time, mean", 13'136, 700, 2000, mean_seconds},
                        {"of 1 GPU, median", 1117, 40, 80, median_seconds<1>},
                        {"of 4 GPUs, median", 17'410, 2000, 6000, median_seconds<4>},
                        {"of 8 GPUs, median", 23'684, 3000, 9000, median_seconds<8>},
                        {"GPU time of 1 GPU, %", 18.1, 2, 4, work_of_size<1>},
                        {"GPU time of 4 GPUs, %", 16.7, 2, 5, work_of_size<4>},
                        {"GPU time of 8 GPUs, %", 48.4, 3, 8, work_of_size<8>},
                        {"between submissions, mean", 114, 6, 15, mean_gap},
                        {"between submissions, median", 8, 1, 1, median_gap},
                        {"in the same second, %", 8.1, 1, 1, gaps_under_a_second},
                        {"failed, %", 17.2, 0.2, 0.6, share_of_outcome<Outcome::failed>},
                        {"cancelled, %", 13.5, 0.2, 0.6, share_of_outcome<Outcome::cancelled>},
                        {"the largest account, %", 50, 0.5, 1.5, share_of_largest_account},
                    }));
}

TEST(Generator, LooksLikeVenus) {
    check("venus", std::to_array<Figure>({
                       {"1 GPU, %", 52.5, 0.4, 1, share_of_size<1>},
                       {"8 GPUs, %", 22.6, 0.4, 1, share_of_size<8>},
                       {"over 8 GPUs, %", 10.3, 0.4, 1, share_over_8},
                       {"run time, median", 204, 30, 40, quantile<500>},
                       {"run time, mean", 13'041, 1300, 2000, mean_seconds},
                       {"failed, %", 20.2, 0.2, 0.7, share_of_outcome<Outcome::failed>},
                       {"cancelled, %", 27.2, 0.2, 0.7, share_of_outcome<Outcome::cancelled>},
                   }));
}

// Half of an account's jobs are its first user's.
TEST(Generator, HasUsersOfWhomFewSubmitMost) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Workload workload = *generate("philly", {.jobs = kJobs, .seed = seed});
        EXPECT_NEAR(share_of_largest_user(workload), 25, 1);
        std::set<std::string> users;
        for (const TraceJob& job : workload.jobs) users.insert(job.user);
        EXPECT_GT(users.size(), 60U);
    }
}

// Philly's come in bursts: the variance of the gaps is hundreds of times their mean, squared.
TEST(Generator, SubmitsInBursts) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const std::vector<double> gaps =
            gaps_of(*generate("philly", {.jobs = kJobs, .seed = seed}));
        double sum = 0, squares = 0;
        for (const double gap : gaps) {
            sum += gap;
            squares += gap * gap;
        }
        const double mean = sum / kJobs, variance = squares / kJobs - mean * mean;
        EXPECT_GT(variance / (mean * mean), 4) << seed;
    }
}

TEST(Generator, StaysWithinTheCluster) {
    const Workload workload = *generate("venus", {.jobs = 2000, .gpus_max = 8});
    EXPECT_EQ(workload.jobs.size(), 2000U);
    for (const TraceJob& job : workload.jobs) EXPECT_LE(job.gpus, 8);
}

}  // namespace
}  // namespace berth::workload
