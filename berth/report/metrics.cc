#include "berth/report/metrics.h"

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
    std::vector<double> completion, waiting, slowdown;
    double gpu_seconds = 0;

    void add(const JobRecord& record) {
        constexpr double kShortest = 10;
        const double whole = seconds_of(record.ended - record.submitted);
        const double ran = seconds_of(record.ran);
        completion.push_back(whole);
        const Duration start = record.starts > 0 ? record.first_start : record.ended;
        waiting.push_back(seconds_of(start - record.submitted));
        slowdown.push_back(std::max(1.0, whole / std::max(ran, kShortest)));
        gpu_seconds += ran * static_cast<double>(record.gpus);
    }
    Group group(std::string name) && {
        constexpr double kHour = 3600;
        return {std::move(name), distribution_of(std::move(completion)),
                distribution_of(std::move(waiting)), distribution_of(std::move(slowdown)),
                gpu_seconds / kHour};
    }
};

std::vector<Group> groups_of(std::map<std::string, Values> values) {
    std::vector<Group> groups;
    for (auto& [name, of] : values) groups.push_back(std::move(of).group(name));
    std::ranges::stable_sort(groups, std::ranges::greater{}, &Group::gpu_hours);
    return groups;
}

// Jain, Chiu, Hawe (1984): (sum x)^2 / (n × sum x^2).
double jain_of(const std::vector<Group>& groups) {
    double sum = 0, squares = 0;
    for (const Group& group : groups) {
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

Metrics metrics_of(const Workload& workload, const SimulationResult& result) {
    Metrics metrics;
    Values all;
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
        for (Values* of :
             {&all, &sizes[size_class(job.gpus)], &users[job.user], &accounts[job.account]}) {
            of->add(record);
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
    metrics.queue_mean = mean_until(result.jobs_waiting, result.length);
    metrics.queue_highest = result.jobs_waiting.highest();
    return metrics;
}

}  // namespace berth::report
