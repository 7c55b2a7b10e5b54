// partition: some partitions' jobs come first.
//
// PriorityJobFactor / the highest of all partitions, after `set_priority_factors` of Slurm's
// priority/multifactor.
#include "berth/policy/policy.h"

namespace berth {
namespace {

class Partition : public PriorityTerm {
public:
    Factor value(const Job& job, const View& view) const override {
        const std::int64_t highest = view.totals().partition_factor_max;
        if (highest <= 0) return {0, 1};
        return {view.spec().partition(job.partition).priority_job_factor, highest};
    }
};

}  // namespace

RuleDef<PriorityTerm> priority_partition() {
    return {
        .name = "partition",
        .summary = "The partition's PriorityJobFactor, next to the highest there is.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Partition>();
        },
    };
}

}  // namespace berth
