// Injector: causes the random faults, at the rates of the world's mix, and the aimed ones: old
// messages after a reboot, crashes while a job starts or ends.
#pragma once

#include <memory>
#include <vector>

#include "berth/sim/node_agent.h"
#include "berth/sim/sim_clients.h"

namespace berth::sim {

class Injector {
public:
    Injector(Stage& stage, Network& network, ControllerProcess& controller,
             std::vector<std::unique_ptr<NodeAgent>>& agents, SimClients& clients,
             const FaultMix& mix, Rng rng);
    void start();
    void stop() { stopped_ = true; }
    void script_ended(NodeId node);

private:
    // Calls `what` this often in 1000 hours, at random moments.
    void often(std::int64_t per_1000_hours, void (Injector::*what)());
    void cut();
    void partition();
    void storm();
    void crash_controller();
    void crash_agent();
    void kill_launcher();
    void kill_shepherd();
    void reboot();
    void reboot_node(NodeId node);
    void jump_clock();
    void fail_gpu();
    void replay();
    void drain();
    void after_reboot(NodeId node);
    NodeId some_node();
    Duration some(Duration least, Duration most) {
        return Duration(rng_.between(least.count(), most.count()));
    }

    Stage& stage_;
    Network& network_;
    ControllerProcess& controller_;
    std::vector<std::unique_ptr<NodeAgent>>& agents_;
    SimClients& clients_;
    FaultMix mix_;
    Rng rng_, of_gpus_;
    bool stopped_ = false;
};

}  // namespace berth::sim
