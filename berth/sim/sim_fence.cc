#include "berth/sim/sim_fence.h"

namespace berth::sim {

void SimFence::call(FenceCall call) {
    stage_.time.in(some(1, 120), [this, call = std::move(call)] { finish(call); });
}

void SimFence::finish(const FenceCall& call) {
    FenceAnswered answer{.node = call.node, .boot_id = call.boot_id};
    if (!lies_ && rng_.chance(50)) {
        stage_.count(Fault::fence_failed);
        answer.failure = "ended with exit code 1";
    } else {
        stage_.count(Fault::fenced);
        stage_.trace([&] { return call.node + " is fenced in " + call.boot_id; });
        const Duration down = some(10, 1200);
        if (!lies_) agents_[spec_.find_node(call.node)->index()]->reboot(down, rng_.chance(20));
    }
    controller_.input(std::move(answer));
}

}  // namespace berth::sim
