// gpu_packing: GPUs that are already shared, then free GPUs of a node in use, then an idle node,
// the one with the fewest GPUs first. The baseline GpuPacking of "Beware of Fragmentation" (Weng et
// al., ATC 2023).
#include <algorithm>

#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

class GpuPacking : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View& view) const override {
        const GpusOf gpus(candidate, view);
        return percent(points(gpus)) * (gpus.taken() > 0 ? 1 : 0);
    }

private:
    static Ppm percent(std::int64_t n) { return Ppm(n * 10'000); }

    static std::int64_t points(const GpusOf& gpus) {
        std::int64_t whole = 0, broken_into = 0, left_on_shared = 0;
        for (std::size_t i = 0; i < gpus.before().size(); ++i) {
            const std::int32_t before = gpus.before()[i].milli;
            const bool taken = gpus.after()[i].milli != before;
            whole += before == kWholeGpu ? 1 : 0;
            broken_into += taken && before == kWholeGpu ? 1 : 0;
            left_on_shared += taken ? before / 10 : 0;
        }
        const auto all = static_cast<std::int64_t>(gpus.before().size());
        if (whole == all) return std::max(33 - whole, whole);
        if (broken_into > 0) return std::max<std::int64_t>(50 - broken_into, 33);
        return std::max<std::int64_t>(100 - left_on_shared / 10, 50);
    }
};

}  // namespace

RuleDef<PlacementScore> placement_gpu_packing() {
    return {
        .name = "gpu_packing",
        .summary = "Prefers shared GPUs, then nodes in use, then small idle nodes.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<GpuPacking>();
        },
    };
}

}  // namespace berth
