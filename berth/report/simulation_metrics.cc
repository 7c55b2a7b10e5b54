#include "berth/report/simulation_metrics.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace berth::report {
namespace {

using sim::JobRecord;
using sim::SimulationResult;
using workload::TraceJob;
using workload::Workload;

constexpr double kShortest = 10;  // Seconds that a run counts for.
constexpr Duration kLongWait = std::chrono::hours(24);
constexpr int kLongWaitRuns = 10;

double seconds_of(Duration length) { return static_cast<double>(length.count()) / 1000; }

struct SizeClass {
    std::int64_t most;
    const char* name;
};
constexpr auto kSizes = std::to_array<SizeClass>({{0, "no GPU"},
                                                  {1, "1 GPU"},
                                                  {4, "2-4 GPUs"},
                                                  {8, "5-8 GPUs"},
                                                  {32, "9-32 GPUs"},
                                                  {INT64_MAX, "over 32 GPUs"}});

// The values of a group, job by job.
struct Values {
    std::vector<double> completion, waiting, slowdown, fairness;
    double gpu_seconds = 0;
    std::size_t starved = 0;

    void add(const JobRecord& record, const TraceJob& job, std::int64_t gpus) {
        const double whole = seconds_of(record.ended - record.submitted);
        const double ran = seconds_of(record.ran);
        completion.push_back(whole);
        const Duration start = record.starts > 0 ? record.first_start : record.ended;
        waiting.push_back(seconds_of(start - record.submitted));
        if (start - record.submitted > std::max(kLongWait, record.ran * kLongWaitRuns)) ++starved;
        if (record.starts > 0) fairness.push_back(finish_time_fairness(record, job, gpus));
        slowdown.push_back(std::max(1.0, whole / std::max(ran, kShortest)));
        gpu_seconds += ran * static_cast<double>(record.gpus);
    }
    JobGroup group(std::string name) && {
        constexpr double kHour = 3600;
        return {std::move(name),
                distribution_of(std::move(completion)),
                distribution_of(std::move(waiting)),
                distribution_of(std::move(slowdown)),
                distribution_of(std::move(fairness)),
                starved,
                gpu_seconds / kHour};
    }
};

std::vector<JobGroup> groups_of(std::map<std::string, Values> values) {
    std::vector<JobGroup> groups;
    groups.reserve(values.size());
    for (auto& [name, of] : values) groups.push_back(std::move(of).group(name));
    std::ranges::stable_sort(groups, std::ranges::greater{}, &JobGroup::gpu_hours);
    return groups;
}

// Jain, Chiu, Hawe (1984): (sum x)^2 / (n × sum x^2).
double jain_of(const std::vector<JobGroup>& groups) {
    double sum = 0, squares = 0;
    for (const JobGroup& group : groups) {
        sum += group.slowdown.mean;
        squares += group.slowdown.mean * group.slowdown.mean;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(groups.size()) * squares) : 1;
}

double mean_until(const sim::Series& series, Duration until) {
    double sum = 0;
    const double width = static_cast<double>(series.width().count());
    const double end = static_cast<double>(until.count());
    for (std::size_t i = 0; i < series.buckets().size(); ++i) {
        const double from = static_cast<double>(i) * width;
        if (from >= end) break;
        const double part = std::min(1.0, (end - from) / width);
        sum += static_cast<double>(series.buckets()[i]) * part;
    }
    return end > 0 ? sum / end : 0;
}

}  // namespace

std::string size_class(std::int64_t gpus) {
    return std::ranges::find_if(kSizes, [&](const SizeClass& size) { return gpus <= size.most; })
        ->name;
}

Distribution distribution_of(std::vector<double> values) {
    Distribution of{.count = values.size()};
    if (values.empty()) return of;
    std::ranges::sort(values);
    const auto at = [&](std::size_t percent) {
        return values[std::min(values.size() - 1, values.size() * percent / 100)];
    };
    of.mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    of.median = at(50);
    of.p90 = at(90);
    of.p99 = at(99);
    of.highest = values.back();
    return of;
}

double finish_time_fairness(const JobRecord& record, const TraceJob& job, std::int64_t gpus) {
    const Duration life = record.ended - record.submitted;
    const double jobs =
        life > Duration(0) ? static_cast<double>(record.company) / static_cast<double>(life.count())
                           : 1;
    const Duration alone =
        job.run_time > Duration(0) ? std::min(job.run_time, record.ran) : record.ran;
    const double share = static_cast<double>(std::max<std::int64_t>(gpus, 1)) / std::max(jobs, 1.0);
    const double stretch = std::max(1.0, static_cast<double>(record.gpus) / share);
    return std::max(seconds_of(life), kShortest) /
           (std::max(seconds_of(alone), kShortest) * stretch);
}

Metrics metrics_of(const Workload& workload, const SimulationResult& result) {
    Metrics metrics;
    Values all;
    std::size_t unfair = 0;
    std::map<std::string, Values> sizes, users, accounts;
    for (std::size_t i = 0; i < result.jobs.size(); ++i) {
        const JobRecord& record = result.jobs[i];
        const TraceJob& job = workload.jobs[i];
        ++metrics.submitted;
        metrics.refused += record.refused ? 1 : 0;
        if (record.refused || !is_final(record.state)) continue;
        ++metrics.ended;
        metrics.timeouts += record.state == JobState::timeout ? 1 : 0;
        metrics.restarts += record.starts > 1 ? record.starts - 1 : 0;
        metrics.preemptions += record.preemptions();
        metrics.lost_runs += record.lost;
        const bool ran = record.starts > 0;
        if (ran && finish_time_fairness(record, job, result.gpus) > 1) ++unfair;
        for (Values* of :
             {&all, &sizes[size_class(job.gpus)], &users[job.user], &accounts[job.account]}) {
            of->add(record, job, result.gpus);
        }
    }
    metrics.all = std::move(all).group("all");
    for (const SizeClass& size : kSizes) {
        const auto found = sizes.find(size.name);
        if (found != sizes.end()) {
            metrics.by_size.push_back(std::move(found->second).group(size.name));
        }
    }
    metrics.by_user = groups_of(std::move(users));
    metrics.by_account = groups_of(std::move(accounts));
    metrics.jain_users = jain_of(metrics.by_user);
    metrics.jain_accounts = jain_of(metrics.by_account);
    metrics.stuck = result.stuck;
    metrics.makespan = seconds_of(result.length);
    const auto gpus = static_cast<double>(std::max<std::int64_t>(result.gpus, 1));
    metrics.gpu_allocation = mean_until(result.gpus_allocated, result.length) / gpus;
    const Duration last = workload.jobs.empty() ? Duration{} : workload.jobs.back().submit;
    metrics.gpu_allocation_arrivals = mean_until(result.gpus_allocated, last) / gpus;
    metrics.unfair = static_cast<double>(unfair) /
                     static_cast<double>(std::max<std::size_t>(metrics.all.fairness.count, 1));
    metrics.fragmented = mean_until(result.gpus_fragmented, last) / 1000;
    const double free = gpus * (1 - metrics.gpu_allocation_arrivals);
    metrics.fragmented_of_free = free > 0 ? metrics.fragmented / free : 0;
    metrics.queue_mean = mean_until(result.jobs_waiting, result.length);
    metrics.queue_highest = result.jobs_waiting.highest();
    return metrics;
}

}  // namespace berth::report
