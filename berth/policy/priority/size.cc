// size: large jobs first, since they are the hardest to place; or small jobs first, with
// favor_small.
//
// (nodes / nodes of the cluster + cpus / cpus of the cluster) / 2, after `set_priority_factors` of
// Slurm's priority/multifactor; with PriorityFavorSmall, each part is one minus its fraction. With
// SMALL_RELATIVE_TO_TIME: the job's CPUs, or those of as many average nodes if that is more, per
// minute of its time limit.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class Size : public PriorityTerm {
public:
    Size(bool favor_small, bool per_minute) : favor_small_(favor_small), per_minute_(per_minute) {}

    Factor value(const Job& job, const View& view) const override {
        const std::int64_t nodes = view.totals().nodes;
        const std::int64_t cpus = view.totals().cpus;
        if (nodes == 0 || cpus == 0) return {0, 1};
        const JobSize size = view.size(job);
        if (per_minute_) return relative_to_time(job, size, nodes, cpus);
        const std::int64_t node_part = favor_small_ ? nodes - size.nodes : size.nodes;
        const std::int64_t cpu_part = favor_small_ ? cpus - size.cpus : size.cpus;
        const std::int64_t whole = 2 * nodes * cpus;
        return {std::clamp<std::int64_t>(node_part * cpus + cpu_part * nodes, 0, whole), whole};
    }

private:
    Factor relative_to_time(const Job& job, const JobSize& size, std::int64_t nodes,
                            std::int64_t cpus) const {
        const std::int64_t minutes = job.time_limit == Duration::max()
                                         ? std::int64_t{365} * 24 * 60  // As Slurm's INFINITE.
                                         : std::max<std::int64_t>(1, seconds(job.time_limit) / 60);
        // Times the number of nodes, so that the CPUs of an average node are an integer.
        const std::int64_t taken = std::max(size.nodes * cpus, size.cpus * nodes);
        const std::int64_t whole = cpus * nodes * minutes;
        const std::int64_t part = std::clamp<std::int64_t>(taken, 0, whole);
        return {favor_small_ ? whole - part : part, whole};
    }

    bool favor_small_, per_minute_;
};

}  // namespace

RuleDef<PriorityTerm> priority_size() {
    return {
        .name = "size",
        .summary = "The job's share of the cluster's nodes and CPUs, averaged.",
        .settings = {{.name = "favor_small",
                      .summary = "1: small jobs first, not big ones",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1},
                     {.name = "per_minute",
                      .summary = "1: next to the job's time limit",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Size>(params.flag("favor_small"), params.flag("per_minute"));
        },
    };
}

}  // namespace berth
