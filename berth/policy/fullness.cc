#include "berth/policy/fullness.h"

#include "berth/policy/gpus_of.h"

namespace berth {

Ppm fullness(const Candidate& candidate, const View& view) {
    const ClusterTotals& totals = view.totals();
    const std::int64_t gpus = GpusOf(candidate, view).milli_after();
    const Ppm left = ratio(candidate.left.cpu(), totals.largest_cpu) +
                     ratio(gpus, totals.largest_gpus * kWholeGpu);
    return kPpmOne - left / 2;
}

}  // namespace berth
