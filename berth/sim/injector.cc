#include "berth/sim/injector.h"

namespace berth::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

}  // namespace

Injector::Injector(Stage& stage, Network& network, ControllerProcess& controller,
                   std::vector<std::unique_ptr<NodeAgent>>& agents, SimClients& clients,
                   const FaultMix& mix, Rng rng)
    : stage_(stage),
      network_(network),
      controller_(controller),
      agents_(agents),
      clients_(clients),
      mix_(mix),
      rng_(rng),
      of_gpus_(rng.fork()) {
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        agents_[i]->on_up([this, i] { after_reboot(NodeId::from_index(i)); });
    }
}

NodeId Injector::some_node() {
    return NodeId::from_index(
        static_cast<std::size_t>(rng_.between(0, static_cast<std::int64_t>(agents_.size()) - 1)));
}

void Injector::often(std::int64_t per_1000_hours, void (Injector::*what)()) {
    if (per_1000_hours <= 0) return;
    const std::int64_t mean = Duration(hours(1000)).count() / per_1000_hours;
    stage_.time.in(Duration(rng_.between(1, 2 * mean)), [this, per_1000_hours, what] {
        if (stopped_) return;
        (this->*what)();
        often(per_1000_hours, what);
    });
}

void Injector::start() {
    often(mix_.cuts, &Injector::cut);
    often(mix_.partitions, &Injector::partition);
    often(mix_.storms, &Injector::storm);
    often(mix_.controller_crashes, &Injector::crash_controller);
    often(mix_.agent_crashes, &Injector::crash_agent);
    often(mix_.launcher_deaths, &Injector::kill_launcher);
    often(mix_.shepherd_deaths, &Injector::kill_shepherd);
    often(mix_.reboots, &Injector::reboot);
    often(mix_.clock_jumps, &Injector::jump_clock);
    often((mix_.old_order + mix_.old_report) * 100, &Injector::replay);
    often(500, &Injector::drain);
    often(mix_.reboots / 2, &Injector::fail_gpu);
}

void Injector::cut() { network_.cut(some_node()); }
void Injector::drain() { clients_.node_trouble(agents_.size()); }

void Injector::partition() {
    const Duration length = some(seconds(5), minutes(30));
    if (rng_.chance(60)) {
        stage_.count(Fault::one_way_partition);
        const bool to_agent = rng_.chance(50);
        network_.partition(some_node(), to_agent, !to_agent, length);
    } else {
        stage_.count(Fault::full_partition);
        network_.partition(some_node(), true, true, length);
    }
}

// Links break one by one and return in another order.
void Injector::storm() {
    stage_.count(Fault::partition_storm);
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (!rng_.chance(60)) continue;
        const Duration length = some(seconds(30), minutes(15));
        stage_.time.in(some(Duration{}, minutes(3)), [this, i, length] {
            if (!stopped_) network_.partition(NodeId::from_index(i), true, true, length);
        });
    }
}

void Injector::crash_controller() {
    if (!controller_.is_up()) return;
    stage_.count(Fault::controller_crash);
    controller_.crash(some(seconds(1), minutes(5)));
}

void Injector::crash_agent() {
    NodeAgent& agent = *agents_[some_node().index()];
    if (!agent.is_up()) return;
    stage_.count(Fault::agent_crash);
    agent.crash(some(Duration(100), rng_.chance(80) ? minutes(2) : minutes(40)));
}

// The agent ends with its launcher and restarts, as the real one does.
void Injector::kill_launcher() {
    NodeAgent& agent = *agents_[some_node().index()];
    if (!agent.is_up()) return;
    stage_.count(Fault::launcher_death);
    agent.lose_launcher(some(Duration(100), rng_.chance(80) ? seconds(10) : minutes(10)));
}

// Of a random node that runs something.
void Injector::kill_shepherd() {
    const std::size_t first = some_node().index();
    for (std::size_t i = 0; i < agents_.size(); ++i) {
        if (!agents_[(first + i) % agents_.size()]->lose_shepherd()) continue;
        stage_.count(Fault::shepherd_death);
        return;
    }
}

void Injector::reboot() { reboot_node(some_node()); }

void Injector::reboot_node(NodeId node) {
    const bool wiped = rng_.chance(mix_.without_disk);
    NodeAgent& agent = *agents_[node.index()];
    if (!agent.is_on()) return;
    stage_.count(wiped ? Fault::reboot_without_disk : Fault::reboot);
    agent.reboot(some(seconds(10), rng_.chance(70) ? minutes(2) : minutes(20)), wiped);
}

// The node goes down with an unreported end in its spool.
void Injector::script_ended(NodeId node) {
    if (stopped_ || rng_.between(1, 10'000) > mix_.fall_at_end) return;
    stage_.count(Fault::fall_at_end);
    const bool both_ways = rng_.chance(50);
    network_.partition(node, both_ways, true, some(seconds(10), minutes(5)));
    stage_.time.in(some(Duration{}, seconds(60)), [this, node] {
        if (!stopped_) reboot_node(node);
    });
}

// Messages that were under way when the node went down arrive now.
void Injector::after_reboot(NodeId node) {
    if (stopped_) return;
    for (int i = 0; i < 6; ++i) {
        if (rng_.between(1, 10'000) > mix_.old_orders_after_reboot) continue;
        network_.replay_order(node, true, seconds(60));
    }
}

// Three kinds of fault: the job's own, a contained one, and one that loses the GPU, which is
// returned later.
void Injector::fail_gpu() {
    const NodeId node = some_node();
    const auto gpu = static_cast<std::int32_t>(of_gpus_.between(0, 7));
    static const std::vector<std::int64_t> xids = {13, 74, 79};
    stage_.count(Fault::gpu_fault);
    agents_[node.index()]->fail_gpu(gpu, of_gpus_.pick(xids));
    clients_.gpu_trouble(node, static_cast<std::uint32_t>(gpu));
}

void Injector::jump_clock() {
    const bool forward = rng_.chance(50);
    const Duration by = some(seconds(1), rng_.chance(70) ? minutes(5) : hours(1));
    stage_.count(forward ? Fault::clock_forward : Fault::clock_back);
    if (rng_.chance(40)) {
        controller_.jump_clock(forward ? by : -by);
    } else {
        agents_[some_node().index()]->jump_clock(forward ? by : -by);
    }
}

void Injector::replay() {
    const bool order = rng_.between(1, mix_.old_order + mix_.old_report) <= mix_.old_order;
    if (order) {
        const NodeId node = some_node();
        network_.replay_order(node, rng_.chance(60), seconds(5));
    } else {
        network_.replay_report(some_node(), seconds(5));
    }
}

}  // namespace berth::sim
