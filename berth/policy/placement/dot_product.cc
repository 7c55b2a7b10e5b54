// dot_product: the node whose free CPUs and GPUs have the smallest dot product with the request, so
// that large free nodes are kept for large jobs. The baseline DotProd of "Beware of Fragmentation"
// (Weng et al., ATC 2023), with the vectors of Tetris (SIGCOMM 2014).
#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class DotProduct : public PlacementScore {
public:
    explicit DotProduct(std::int64_t steps) : steps_(steps) {}
    Ppm value(const Candidate& candidate, const View& view) const override {
        const ClusterTotals& totals = view.totals();
        const GpusOf gpus(candidate, view);
        const Millicpu cpu_before = candidate.left.cpu() + candidate.take.cpu();
        const std::int64_t gpu_most = totals.largest_gpus * kWholeGpu;
        const Ppm by_cpu = product(ratio(cpu_before, totals.largest_cpu),
                                   ratio(candidate.take.cpu(), totals.largest_cpu));
        const Ppm by_gpu =
            product(ratio(gpus.milli_before(), gpu_most), ratio(gpus.milli_taken(), gpu_most));
        return in_steps(kPpmOne - (by_cpu + by_gpu) / 2, steps_);
    }

private:
    static Ppm product(Ppm a, Ppm b) { return Ppm(share_of(a.count(), b)); }

    std::int64_t steps_;
};

}  // namespace

RuleDef<PlacementScore> placement_dot_product() {
    return {
        .name = "dot_product",
        .summary = "Prefers the node whose free vector has the smallest product with the job's.",
        .settings = {{"steps", "into how many steps the score is rounded; 0: not at all", 0, 0,
                      kStepsMax}},
        .make = [](const Params& params) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<DotProduct>(params.number("steps"));
        },
    };
}

}  // namespace berth
