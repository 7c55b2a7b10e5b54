// least_loaded: the node whose GPUs are the least loaded, as its agent last reported: a weighted
// sum of utilisation, memory, temperature and power. A GPU that is too hot comes last. For GPUs
// shared by several jobs, and for nodes that are also used outside the cluster.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

// For a node without recent readings: neither preferred nor avoided.
constexpr Ppm kUnknown(500'000);

class LeastLoaded : public PlacementScore {
public:
    explicit LeastLoaded(const Params& params)
        : utilisation_(params.number("utilisation")),
          memory_(params.number("memory")),
          temperature_(params.number("temperature")),
          power_(params.number("power")),
          hot_(params.number("hot")),
          fresh_(std::chrono::seconds(params.number("fresh"))) {}

    Ppm value(const Candidate& candidate, const View& view) const override {
        const NodeReadings* const readings = view.readings(candidate.node);
        if (readings == nullptr || view.moment() > readings->taken_at + fresh_) return kUnknown;
        std::int64_t sum = 0, count = 0;
        for (const GpuReading& gpu : readings->gpus) {
            const bool meant = candidate.chosen == 0 || candidate.chosen >> gpu.gpu & 1;
            if (!meant) continue;
            sum += idleness(gpu).count();
            ++count;
        }
        return count == 0 ? kUnknown : Ppm(sum / count);
    }
    GpuWeighing weighs_gpus() const override { return GpuWeighing::each; }
    bool tells_nodes_apart() const override { return true; }

private:
    // 1: idle and cold. Values that were not read do not count.
    Ppm idleness(const GpuReading& gpu) const {
        if (gpu.temperature >= hot_) return Ppm(0);
        std::int64_t load = 0, weights = 0;
        const auto add = [&](std::int32_t read, std::int64_t most, std::int64_t weight) {
            if (read == kNotRead) return;
            load += weight * std::clamp<std::int64_t>(read, 0, most) * kPpmOne.count() / most;
            weights += weight;
        };
        add(gpu.utilisation, 100, utilisation_);
        add(gpu.memory, 100, memory_);
        add(gpu.temperature, hot_, temperature_);
        add(gpu.power, 100, power_);
        return weights == 0 ? kUnknown : kPpmOne - Ppm(load / weights);
    }

    std::int64_t utilisation_, memory_, temperature_, power_;
    std::int64_t hot_;
    Duration fresh_;
};

constexpr std::int64_t kReadingWeightMax = 1000;

}  // namespace

RuleDef<PlacementScore> placement_least_loaded() {
    return {
        .name = "least_loaded",
        .summary = "Prefers GPUs that are idle and cold, as their nodes report.",
        .settings = {{"utilisation", "how much the utilisation counts", 50, 0, kReadingWeightMax},
                     {"memory", "how much the memory in use counts", 30, 0, kReadingWeightMax},
                     {"temperature", "how much the temperature counts", 10, 0, kReadingWeightMax},
                     {"power", "how much the power drawn counts", 10, 0, kReadingWeightMax},
                     {"hot", "from how many degrees Celsius a GPU comes last", 85, 1, 150},
                     {"fresh", "after how many seconds a report is ignored", 90, 1, 86'400}},
        .make = [](const Params& params) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<LeastLoaded>(params);
        },
    };
}

}  // namespace berth
