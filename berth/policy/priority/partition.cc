// partition: jobs of some partitions come first.
//
// PriorityJobFactor / the highest of all partitions; with NO_NORMAL_PART, the factor itself.
#include "berth/policy/own_over_highest.h"

namespace berth {
namespace {

OwnAndHighest job_factors(const Job& job, const View& view) {
    return {.own = view.spec().partition(job.partition).priority_job_factor,
            .highest = view.totals().partition_factor_max};
}

}  // namespace

RuleDef<PriorityTerm> priority_partition() {
    return own_over_highest<job_factors>(
        "partition", "The partition's PriorityJobFactor, next to the highest there is.");
}

}  // namespace berth
