// fragmentation: the node and GPU where the job least reduces the usefulness of the free GPUs to
// the usual workload, and which it fills best.
//
// It differs from the published gradient (see fgd) in what improved results: scores are not
// rounded, so leftovers decide where the gradient says little; shapes that want parts count more,
// since they are what breaks GPUs up; types without which some jobs cannot run are spared.
// bench/openb measures it.
#include <algorithm>

#include "berth/policy/fragmentation.h"
#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

__extension__ using Wide = __int128;

std::int64_t supply_of(DimensionSet types, const ClusterTotals& totals) {
    std::int64_t gpus = 0;
    for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
        const DimensionId type(d);
        if ((types & totals.gpu_types & dimension_bit(type)) != 0) gpus += totals.capacity[type];
    }
    return gpus;
}

// How much of the workload is restricted to GPUs of this type, per acceptable GPU, relative to the
// average demand per GPU of the cluster: 1 is average.
Ppm demand_for(DimensionId type, std::span<const WorkShape> work, const ClusterTotals& totals) {
    Wide on_type = 0, in_all = 0;  // Thousandths of a GPU; on_type is per GPU, in millionths.
    for (const WorkShape& shape : work) {
        const Wide wanted = Wide{shape.count} * shape.gpus * shape.milli;
        in_all += wanted;
        const bool any = (shape.types & totals.gpu_types) == totals.gpu_types;
        if (any || wanted == 0 || (shape.types & dimension_bit(type)) == 0) continue;
        on_type +=
            wanted * kPpmOne.count() / std::max<std::int64_t>(supply_of(shape.types, totals), 1);
    }
    if (in_all == 0) return Ppm(0);
    return Ppm(static_cast<std::int64_t>(on_type * supply_of(totals.gpu_types, totals) / in_all));
}

struct Costs {
    std::int64_t gpu_left = 0, cpu_left = 0, scarce_type = 0, parts_count = 1;
};

class Fragmentation : public PlacementScore {
public:
    explicit Fragmentation(const Costs& costs) : costs_(costs) {}

    // One GPU made useful, or spared, is 1.
    Ppm value(const Candidate& candidate, const View& view) const override {
        const std::span<const WorkShape> work = view.usual_work();
        const GpusOf gpus(candidate, view);
        const Millicpu cpu = candidate.left.cpu();
        const std::int64_t gain =
            fragmentation({cpu + candidate.take.cpu(), gpus.before()}, work, costs_.parts_count) -
            fragmentation({cpu, gpus.after()}, work, costs_.parts_count);
        const std::int64_t jobs = std::max<std::int64_t>(total_count(work, costs_.parts_count), 1);
        const std::int64_t left =
            (costs_.gpu_left * gpus.milli_after() + costs_.cpu_left * cpu.count()) / 1000;
        return Ppm(gain * 1000 / jobs - left - scarcity(gpus, work, view.totals()));
    }
    GpuWeighing weighs_gpus() const override { return GpuWeighing::by_what_is_left; }

private:
    std::int64_t scarcity(const GpusOf& gpus, std::span<const WorkShape> work,
                          const ClusterTotals& totals) const {
        std::int64_t cost = 0;
        for (std::size_t i = 0; i < gpus.before().size(); ++i) {
            const GpuLeft& before = gpus.before()[i];
            const std::int64_t taken = before.milli - gpus.after()[i].milli;
            if (taken == 0) continue;
            const Ppm demand = demand_for(before.type, work, totals);
            cost += share_of(costs_.scarce_type * taken, demand) / kWholeGpu;
        }
        return cost;
    }

    Costs costs_;
};

}  // namespace

RuleDef<PlacementScore> placement_fragmentation() {
    return {
        .name = "fragmentation",
        .summary = "Prefers what fragments GPUs the least and leaves the least over.",
        .settings =
            {{"gpu_left", "what a GPU left over costs, in millionths of a GPU", 5'000, 0,
              1'000'000},
             {"cpu_left", "what a core left over costs, in millionths of a GPU", 200, 0, 1'000'000},
             {"scarce_type",
              "what a GPU costs of a type that some work cannot do without, in millionths of a GPU",
              500'000, 0, 10'000'000},
             {"parts_count", "how many times work counts that wants a part of a GPU", 2, 1, 100}},
        .make = [](const Params& params) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Fragmentation>(
                Costs{params.number("gpu_left"), params.number("cpu_left"),
                      params.number("scarce_type"), params.number("parts_count")});
        },
    };
}

}  // namespace berth
