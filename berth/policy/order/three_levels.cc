// three_levels: QOS high before medium before low, and within each by a score.
//
// The priority queue of the article "Machine Learning Cluster Scheduling and Resource Management":
// 1000, 500 or 100 points, up to 100 for an hour of waiting, 10 less for each GPU, and the site
// factor as the user's bonus. Higher scores go first (the article's Python code takes the lowest).
// Any other QOS counts as medium.
#include <algorithm>

#include "berth/model/micro.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class ThreeLevels : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) {
            const std::int64_t level = level_of(*job, view);
            // Beyond any score.
            all.push_back(level * 1'000'000'000 * kMicro - score(*job, level, view));
        }
        return all;
    }

private:
    static std::int64_t level_of(const Job& job, const View& view) {
        if (job.qos.index() >= view.spec().qos.size()) return 1;
        const std::string& name = view.spec().qos[job.qos.index()].name;
        return name == "high" ? 0 : name == "low" ? 2 : 1;
    }

    // In millionths of a point.
    static std::int64_t score(const Job& job, std::int64_t level, const View& view) {
        constexpr std::int64_t kBase[] = {1000, 500, 100};
        constexpr Duration kHour = std::chrono::hours(1);
        const Duration waited =
            std::clamp<Duration>(view.now() - job.submitted_at, Duration{}, kHour);
        std::int64_t gpus = 0;
        const TresCounts asked = view.tres(job);
        for (const DimensionId d : view.spec().dimensions.of_name("gpu")) gpus += asked.amount[d];
        return kBase[level] * kMicro + 100 * kMicro * waited.count() / kHour.count() -
               gpus * 10 * kMicro +
               std::clamp<std::int64_t>(job.site_factor, -100'000, 100'000) * kMicro;
    }
};

}  // namespace

RuleDef<OrderRule> order_three_levels() {
    return {
        .name = "three_levels",
        .summary = "QOS high, medium, low; within one by waiting time and GPUs.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<ThreeLevels>();
        },
    };
}

}  // namespace berth
