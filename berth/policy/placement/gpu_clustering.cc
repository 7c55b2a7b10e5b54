// gpu_clustering: nodes whose jobs have as many GPUs each as this one, so that jobs that end
// together free whole nodes. The baseline GpuClustering of "Beware of Fragmentation" (Weng et al.,
// ATC 2023).
#include <bit>

#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class GpuClustering : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View& view) const override {
        const GpusOf gpus(candidate, view);
        if (gpus.taken() == 0) return Ppm(0);
        const std::int64_t most = view.totals().largest_gpus * kWholeGpu;
        const std::int64_t fullness = 25 * (most - gpus.milli_before()) / most;
        return Ppm((company(candidate, gpus, view) + fullness) * 10'000);
    }
    // Nodes that are equally free may have different jobs.
    bool tells_nodes_apart() const override { return true; }

private:
    static std::int64_t company(const Candidate& candidate, const GpusOf& gpus, const View& view) {
        const std::uint64_t there = view.gpu_counts_on(candidate.node);
        const int own = candidate.milli < kWholeGpu ? 0 : gpus.taken();
        if (there == 0) return 25;
        if ((there >> own & 1) == 0) return 0;
        return std::has_single_bit(there) ? 75 : 50;
    }
};

}  // namespace

RuleDef<PlacementScore> placement_gpu_clustering() {
    return {
        .name = "gpu_clustering",
        .summary = "Prefers nodes whose jobs have as many GPUs each.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<GpuClustering>();
        },
    };
}

}  // namespace berth
