// least_attained: the job that has had least GPU time comes first, in steps (discretised 2D-LAS).
//
// After Tiresias (Gu et al., NSDI '19): service is GPUs × time; a job goes down a queue at each
// threshold, and within one the order is by priority. With `gittins` the jobs of a queue go by
// their Gittins index instead: how likely such a job is over within the next quantum, for each
// second that it would take of it, as its code has it (sums of d, not of d - a). A job that waits
// has service only if it ran before: it was preempted or requeued.
#include <algorithm>

#include "berth/policy/policy.h"

namespace berth {
namespace {

constexpr std::int64_t kQueueSpan = std::int64_t{1} << 40;

class LeastAttained : public OrderRule {
public:
    LeastAttained(Duration first, Duration second, Duration quantum, bool gittins)
        : first_(first), second_(second), quantum_(quantum), gittins_(gittins) {}

    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) {
            const std::int64_t queue = job->attained < first_ ? 0 : job->attained < second_ ? 1 : 2;
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

    Duration first_, second_, quantum_;
    bool gittins_;
};

}  // namespace

RuleDef<OrderRule> order_least_attained() {
    return {
        .name = "least_attained",
        .summary = "The job that has had least GPU time comes first, in three steps.",
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
            return std::make_unique<LeastAttained>(std::chrono::seconds(params.number("first")),
                                                   std::chrono::seconds(params.number("second")),
                                                   std::chrono::seconds(params.number("quantum")),
                                                   params.flag("gittins"));
        },
    };
}

}  // namespace berth
