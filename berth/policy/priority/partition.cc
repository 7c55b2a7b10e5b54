// partition: jobs of some partitions come first.
//
// PriorityJobFactor / the highest of all partitions, after `set_priority_factors` of Slurm's
// priority/multifactor; with NO_NORMAL_PART, the factor itself.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class Partition : public PriorityTerm {
public:
    explicit Partition(bool plain) : plain_(plain) {}

    Factor value(const Job& job, const View& view) const override {
        const std::int64_t own = view.spec().partition(job.partition).priority_job_factor;
        if (plain_) return {own, 1};
        const std::int64_t highest = view.totals().partition_factor_max;
        return highest > 0 ? Factor{own, highest} : Factor{};
    }

private:
    bool plain_;
};

}  // namespace

RuleDef<PriorityTerm> priority_partition() {
    return {
        .name = "partition",
        .summary = "The partition's PriorityJobFactor, next to the highest there is.",
        .settings = {{.name = "plain",
                      .summary = "1: as it is, not divided by the highest",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Partition>(params.flag("plain"));
        },
    };
}

}  // namespace berth
