// idle_cpus: the node with the most idle CPUs, as Slurm's LLN (least loaded nodes) has it.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class IdleCpus : public PlacementScore {
public:
    Ppm value(const Candidate& candidate, const View&) const override {
        constexpr std::int64_t kCpusMax = 65'536;  // Slurm's CPUs of a node are 16 bits wide.
        const std::int64_t idle = (candidate.left.cpu() + candidate.take.cpu()).count() / 1000;
        return Ppm(std::clamp<std::int64_t>(idle, 0, kCpusMax) * kPpmOne.count() / kCpusMax);
    }
};

}  // namespace

RuleDef<PlacementScore> placement_idle_cpus() {
    return {
        .name = "idle_cpus",
        .summary = "Prefers the node with the most idle CPUs, as Slurm's LLN does.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<PlacementScore> {
            return std::make_unique<IdleCpus>();
        },
    };
}

}  // namespace berth
