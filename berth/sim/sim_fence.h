// SimFence: the fence program of the simulated world. It takes some time, sometimes fails, and
// otherwise switches the node off before it reports success, unless it is told to lie.
#pragma once

#include <memory>
#include <vector>

#include "berth/sim/controller_process.h"
#include "berth/sim/node_agent.h"

namespace berth::sim {

class SimFence : public Fence {
public:
    SimFence(Stage& stage, ControllerProcess& controller,
             std::vector<std::unique_ptr<NodeAgent>>& agents, const ClusterSpec& spec, bool lies,
             Rng rng)
        : stage_(stage),
          controller_(controller),
          agents_(agents),
          spec_(spec),
          lies_(lies),
          rng_(rng) {}

    void call(FenceCall call) override;

private:
    void finish(const FenceCall& call);
    Duration some(std::int64_t least_s, std::int64_t most_s) {
        return std::chrono::seconds(rng_.between(least_s, most_s));
    }

    Stage& stage_;
    ControllerProcess& controller_;
    std::vector<std::unique_ptr<NodeAgent>>& agents_;
    const ClusterSpec& spec_;
    bool lies_;
    Rng rng_;
};

}  // namespace berth::sim
