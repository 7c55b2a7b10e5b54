// size: big jobs first, for they are the hardest to place, or small ones with favor_small.
//
// (nodes / nodes of the cluster + cpus / cpus of the cluster) / 2, after `set_priority_factors` of
// Slurm's priority/multifactor; with PriorityFavorSmall each part is one less its fraction.
#include <algorithm>

#include "berth/policy/policy.h"

namespace berth {
namespace {

class Size : public PriorityTerm {
public:
    explicit Size(bool favor_small) : favor_small_(favor_small) {}

    Factor value(const Job& job, const View& view) const override {
        const std::int64_t nodes = view.totals().nodes;
        const std::int64_t cpus = view.totals().cpus;
        if (nodes == 0 || cpus == 0) return {0, 1};
        const JobSize size = view.size(job);
        const std::int64_t node_part = favor_small_ ? nodes - size.nodes : size.nodes;
        const std::int64_t cpu_part = favor_small_ ? cpus - size.cpus : size.cpus;
        const std::int64_t whole = 2 * nodes * cpus;
        return {std::clamp<std::int64_t>(node_part * cpus + cpu_part * nodes, 0, whole), whole};
    }

private:
    bool favor_small_;
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
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Size>(params.flag("favor_small"));
        },
    };
}

}  // namespace berth
