// least_attained: the job with the least attained GPU time comes first, in steps (discretised
// 2D-LAS).
//
// After Tiresias (Gu et al., NSDI '19). Attained service is GPUs × time. A job moves down one queue
// at each threshold; within a queue, priority decides. With `gittins`, the jobs of a queue are
// ordered by their Gittins index instead: the probability that such a job ends within the next
// quantum, divided by the time it is expected to use of it. The formula is that of Tiresias' code
// (sums of d, not of d - a). A pending job has attained service only if it ran before and was
// preempted or requeued.
#include <algorithm>
#include <vector>

#include "berth/policy/rule.h"

namespace berth {
namespace {

constexpr std::int64_t kQueueSpan = std::int64_t{1} << 40;

class LeastAttained : public OrderRule {
public:
    LeastAttained(std::vector<Duration> thresholds, Duration quantum, bool gittins)
        : thresholds_(std::move(thresholds)), quantum_(quantum), gittins_(gittins) {}

    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) {
            const auto queue =
                std::ranges::upper_bound(thresholds_, job->attained) - thresholds_.begin();
            const std::int64_t index =
                gittins_ ? std::min(gittins_index(job->attained, view.services()), kQueueSpan - 1)
                         : 0;
            all.push_back(queue * kQueueSpan - index);
        }
        return all;
    }

private:
    // 10^6 × P / E in thousandths, E in seconds.
    std::int64_t gittins_index(Duration attained, std::span<const Duration> services) const {
        Wide over = 0, longer = 0, sum = 0;  // Milliseconds.
        for (const Duration service : services) {
            if (service <= attained) continue;
            ++longer;
            if (service <= attained + quantum_) {
                ++over;
                sum += service.count();
            } else {
                sum += quantum_.count();
            }
        }
        if (longer == 0 || sum == 0) return 0;
        // P = over / longer, E = sum / longer.
        const Wide index = over * 1'000'000 * 1'000 * 1'000 / sum;
        return static_cast<std::int64_t>(std::min<Wide>(index, kQueueSpan));
    }

    std::vector<Duration> thresholds_;  // Upper bound of each queue but the last.
    Duration quantum_;
    bool gittins_;
};

// `first`, `second`, then each `factor` times the one before.
std::vector<Duration> thresholds_of(const Params& params) {
    constexpr Duration kMost = std::chrono::hours(24 * 365 * 10'000);
    std::vector<Duration> thresholds = {std::chrono::seconds(params.number("first")),
                                        std::chrono::seconds(params.number("second"))};
    std::ranges::sort(thresholds);
    while (thresholds.size() + 1 < static_cast<std::size_t>(params.number("queues"))) {
        const Duration last = thresholds.back();
        thresholds.push_back(std::min(
            kMost, std::min(last, kMost / params.number("factor")) * params.number("factor")));
    }
    return thresholds;
}

}  // namespace

RuleDef<OrderRule> order_least_attained() {
    return {
        .name = "least_attained",
        .summary = "The job that has had least GPU time comes first, in steps.",
        .settings = {{.name = "first",
                      .summary = "GPU seconds at which a job leaves the first queue",
                      .otherwise = 3250,
                      .low = 1,
                      .high = 1'000'000'000'000},
                     {.name = "second",
                      .summary = "GPU seconds at which it leaves the second",
                      .otherwise = 7200,
                      .low = 1,
                      .high = 1'000'000'000'000},
                     {.name = "queues",
                      .summary = "how many queues there are",
                      .otherwise = 3,
                      .low = 3,
                      .high = 40},
                     {.name = "factor",
                      .summary = "from the third queue on, each ends at so many times the last",
                      .otherwise = 3,
                      .low = 2,
                      .high = 1000},
                     {.name = "quantum",
                      .summary = "GPU seconds that the Gittins index looks ahead",
                      .otherwise = 3250,
                      .low = 1,
                      .high = 1'000'000'000'000},
                     {.name = "gittins",
                      .summary = "1: by the Gittins index within a queue",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<OrderRule> {
            return std::make_unique<LeastAttained>(thresholds_of(params),
                                                   std::chrono::seconds(params.number("quantum")),
                                                   params.flag("gittins"));
        },
    };
}

}  // namespace berth
