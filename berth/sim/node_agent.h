// NodeAgent: the agent process of one machine: the real Agent behind its ports, with a clock that
// may jump. Restarted after it has crashed.
#pragma once

#include <memory>

#include "berth/agent/agent.h"
#include "berth/sim/network.h"
#include "berth/sim/sim_machine.h"

namespace berth::sim {

class NodeAgent {
public:
    NodeAgent(Stage& stage, SimMachine& machine, Network& network, const FaultMix& mix,
              AgentProtections protections, AgentLimits limits, Rng rng);

    void start();
    void crash(Duration until_restart);
    void lose_launcher(Duration until_restart);
    bool lose_shepherd() { return machine_.lose_shepherd(); }  // False: nothing runs here.
    void reboot(Duration down, bool wiped);
    void jump_clock(Duration by);
    void fail_gpu(std::int32_t gpu, std::int64_t xid);
    void calm() { mix_ = FaultMix{}; }

    bool is_up() const { return agent_.has_value(); }
    bool is_on() const { return machine_.is_on(); }
    Time disturbed_at() const { return disturbed_at_; }
    std::uint64_t reboots() const { return reboots_; }
    std::size_t most_tombstones() const { return most_tombstones_; }
    std::uint64_t links() const { return links_; }
    std::uint64_t registrations() const { return registrations_; }

    // ---- From the network.
    void link_down(std::uint64_t link);
    void order(std::uint64_t link, const Order& order);

    void on_up(std::function<void()> rebooted) { after_reboot_ = std::move(rebooted); }

private:
    void feed(std::vector<AgentEvent> events);
    void hear_answers(AgentTurn& turn, std::vector<AgentEvent> answers);
    void keep(const std::vector<MemoryWrite>& writes);
    bool write(const std::vector<MemoryWrite>& writes);  // False: it has crashed after that.
    void dial_soon();
    void dial();
    Duration some(std::int64_t least_ms, std::int64_t most_ms) {
        return Duration(rng_.between(least_ms, most_ms));
    }
    bool crashes_here();
    void check_epoch(const Order& order, const AgentTurn& turn);
    void check_not_lost(const Report& report);

    Stage& stage_;
    SimMachine& machine_;
    Network& network_;
    FaultMix mix_;
    AgentProtections protections_;
    AgentLimits limits_;
    Rng rng_;
    std::optional<Agent> agent_;
    std::uint64_t life_ = 0;  // Of the process; events meant for an earlier one are dropped.
    std::uint64_t wake_ = 0;  // The timer in force.
    std::uint64_t reboots_ = 0;
    std::size_t most_tombstones_ = 0;  // On its disk at the same time.
    std::uint64_t links_ = 0, registrations_ = 0;
    Duration clock_ahead_{};
    std::optional<std::uint64_t> link_;
    bool dialing_ = false;
    Time disturbed_at_{};
    Epoch highest_epoch_{0};  // Of the orders that took effect here.
    const Order* obeying_ = nullptr;
    std::function<void()> after_reboot_;
};

}  // namespace berth::sim
