// fgd: the node and GPU where the job least reduces the usefulness of the free GPUs to the usual
// workload. Fragmentation gradient descent as published (Weng et al., ATC 2023): 100 / (1 +
// e^-gain), truncated. `fragmentation` is Berth's refinement.
#include <algorithm>
#include <array>

#include "berth/policy/fragmentation.h"
#include "berth/policy/gpus_of.h"
#include "berth/policy/rule.h"

namespace berth {
namespace {

// The smallest gain, in millionths of a GPU, for each score 1 … 99: 10^6 ln(k / (100 - k)).
constexpr std::array<std::int64_t, 99> kGainFor = {
    -4595120, -3891820, -3476099, -3178054, -2944439, -2751535, -2586689, -2442347, -2313635,
    -2197225, -2090741, -1992430, -1900959, -1815290, -1734601, -1658228, -1585627, -1516347,
    -1450010, -1386294, -1324925, -1265666, -1208311, -1152680, -1098612, -1045969, -994623,
    -944462,  -895384,  -847298,  -800119,  -753772,  -708185,  -663294,  -619039,  -575364,
    -532217,  -489548,  -447312,  -405465,  -363965,  -322773,  -281851,  -241162,  -200671,
    -160343,  -120144,  -80043,   -40005,   0,        40005,    80043,    120144,   160343,
    200671,   241162,   281851,   322773,   363965,   405465,   447312,   489548,   532217,
    575364,   619039,   663294,   708185,   753772,   800119,   847298,   895384,   944462,
    994623,   1045969,  1098612,  1152680,  1208311,  1265666,  1324925,  1386294,  1450010,
    1516347,  1585627,  1658228,  1734601,  1815290,  1900959,  1992430,  2090741,  2197225,
    2313635,  2442347,  2586689,  2751535,  2944439,  3178054,  3476099,  3891820,  4595120};

class Fgd : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View& view) const override {
        const std::span<const WorkShape> work = view.usual_work();
        const GpusOf gpus(candidate, view);
        const Millicpu cpu = candidate.left.cpu();
        const std::int64_t gain = fragmentation({cpu + candidate.take.cpu(), gpus.before()}, work) -
                                  fragmentation({cpu, gpus.after()}, work);
        const std::int64_t jobs = std::max<std::int64_t>(total_count(work), 1);
        __extension__ using Wide = __int128;
        const auto reached = std::ranges::partition_point(kGainFor, [&](std::int64_t needed) {
            return Wide{gain} * 1000 >= Wide{needed} * jobs;
        });
        return Ppm((reached - kGainFor.begin()) * 10'000);
    }
    GpuWeighing weighs_gpus() const override { return GpuWeighing::by_what_is_left; }
};

}  // namespace

RuleDef<PlacementScore> placement_fgd() {
    return {
        .name = "fgd",
        .summary = "Prefers what fragments GPUs the least, as published.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<Fgd>();
        },
    };
}

}  // namespace berth
