#include "berth/sim/node_agent.h"

namespace berth::sim {

NodeAgent::NodeAgent(Stage& stage, SimMachine& machine, Network& network, const FaultMix& mix,
                     AgentProtections protections, AgentLimits limits, Rng rng)
    : stage_(stage),
      machine_(machine),
      network_(network),
      mix_(mix),
      protections_(protections),
      limits_(limits),
      rng_(rng) {
    machine_.listen([this](const AgentEvent& event) { feed({event}); });
}

void NodeAgent::start() {
    ++life_;
    std::vector<MemoryWrite> memory;
    memory.reserve(machine_.disk.size());
    for (const auto& [key, value] : machine_.disk) memory.push_back({key, value});
    AgentIdentity identity;
    identity.node = machine_.spec().name;
    identity.instance = machine_.spec().name + "-" + std::to_string(life_);
    identity.boot_id = machine_.boot_id();
    identity.booted_at = machine_.booted_at();
    identity.version = "sim";
    identity.found = machine_.spec();
    const std::vector<RunKey> alive = machine_.alive();
    stage_.trace([&] {
        return identity.instance + " starts on " + identity.boot_id + ", alive " +
               std::to_string(alive.size());
    });
    agent_.emplace(std::move(identity), memory, alive, stage_.now() + clock_ahead_, protections_,
                   limits_);
    feed(machine_.exit_records());
    if (agent_) dial_soon();
}

void NodeAgent::crash(Duration until_restart) {
    if (!agent_) return;
    stage_.trace([&] { return machine_.spec().name + ": agent crashes"; });
    agent_.reset();
    ++life_;
    disturbed_at_ = stage_.now() + until_restart;
    if (link_) network_.close_at_agent(*std::exchange(link_, std::nullopt), some(100, 30'000));
    stage_.time.in(until_restart, [this, life = life_] {
        if (life_ == life && machine_.is_on()) start();
    });
}

void NodeAgent::lose_launcher(Duration until_restart) {
    if (!agent_) return;
    machine_.lose_launcher();
    crash(until_restart);
}

void NodeAgent::reboot(Duration down, bool wiped) {
    if (!machine_.is_on()) return;
    agent_.reset();
    ++life_;
    disturbed_at_ = stage_.now() + down;
    if (link_) network_.close_at_agent(*std::exchange(link_, std::nullopt), some(1000, 120'000));
    machine_.power_off();
    stage_.time.in(down, [this, wiped] {
        machine_.boot(wiped);
        if (wiped) highest_epoch_ = Epoch{0};
        ++reboots_;
        start();
        if (after_reboot_) after_reboot_();
    });
}

void NodeAgent::jump_clock(Duration by) {
    clock_ahead_ += by;
    disturbed_at_ = stage_.now();
    if (agent_) feed({});
}

void NodeAgent::fail_gpu(std::int32_t gpu, std::int64_t xid) {
    if (!agent_) return;
    stage_.trace([&] {
        return machine_.spec().name + ": GPU " + std::to_string(gpu) + " has Xid " +
               std::to_string(xid);
    });
    feed({FaultsSeen{{{.gpu = gpu, .kind = GpuFaultKind::xid, .code = xid}}}});
}

bool NodeAgent::crashes_here() {
    if (rng_.between(1, 10'000) > mix_.agent_crash_in_turn) return false;
    stage_.count(Fault::agent_crash_in_turn);
    crash(some(100, 120'000));
    return true;
}

void NodeAgent::keep(const std::vector<MemoryWrite>& writes) {
    for (const MemoryWrite& write : writes) {
        if (write.value) {
            machine_.disk[write.key] = *write.value;
        } else {
            machine_.disk.erase(write.key);
        }
    }
    const auto first = machine_.disk.lower_bound("tombstone.");
    const auto last = machine_.disk.lower_bound("tombstone/");
    most_tombstones_ =
        std::max(most_tombstones_, static_cast<std::size_t>(std::distance(first, last)));
}

bool NodeAgent::write(const std::vector<MemoryWrite>& writes) {
    keep(writes);
    return writes.empty() || !crashes_here();
}

// What takes the machine no time is part of the turn that asked for it.
void NodeAgent::hear_answers(AgentTurn& turn, std::vector<AgentEvent> answers) {
    AgentTurn more = agent_->turn(stage_.now() + clock_ahead_, std::move(answers));
    keep(more.writes);
    for (const HostAction& action : more.actions) machine_.act(action);
    for (OutgoingReport& report : more.reports) turn.reports.push_back(std::move(report));
    if (more.close) turn.close = more.close;
    turn.wake_at = more.wake_at;
}

// The agent's output in its order: disk, actions, reports.
void NodeAgent::feed(std::vector<AgentEvent> events) {
    if (!agent_ || !stage_.violation().empty()) return;
    AgentTurn turn = agent_->turn(stage_.now() + clock_ahead_, std::move(events));
    if (obeying_ != nullptr) check_epoch(*obeying_, turn);
    if (!write(turn.writes)) return;
    for (const HostAction& action : turn.actions) machine_.act(action);
    std::vector<AgentEvent> answers = machine_.take_answers();
    if (!turn.actions.empty() && crashes_here()) return;
    if (!answers.empty()) hear_answers(turn, std::move(answers));
    for (const OutgoingReport& report : turn.reports) {
        check_not_lost(report.report);
        if (std::holds_alternative<Registration>(report.report.body)) ++registrations_;
        network_.send_report(report.link, report.report);
    }
    if (turn.close && turn.close == link_) {
        link_.reset();
        network_.close_at_agent(*turn.close, some(10, 5000));
        dial_soon();
    }
    if (!turn.wake_at) return;
    const Time wake = *turn.wake_at - clock_ahead_;
    stage_.time.at(wake, [this, life = life_, number = ++wake_] {
        if (life_ == life && wake_ == number) feed({});
    });
}

// I12: an order of an epoch that is no longer the highest here has no effect.
void NodeAgent::check_epoch(const Order& order, const AgentTurn& turn) {
    if (turn.actions.empty() && turn.writes.empty()) return;
    if (order.epoch < highest_epoch_) {
        stage_.violated("I12", machine_.spec().name + " obeyed an order of term " +
                                   to_string(order.epoch) + " after one of term " +
                                   to_string(highest_epoch_));
    }
    highest_epoch_ = std::max(highest_epoch_, order.epoch);
}

// A machine keeps its exit records unless a shepherd was killed. So an agent's crash loses no
// script: one that has not begun is started, and one that has ended is known.
void NodeAgent::check_not_lost(const Report& report) {
    const auto* const end = std::get_if<AttemptReport>(&report.body);
    if (end == nullptr || !end->failure.starts_with("lost: its script is gone")) return;
    if (machine_.lost_shepherd_of({end->job, end->attempt})) return;
    stage_.violated("I2", machine_.spec().name + " lost the script of " +
                              to_text(AttemptKey{end->job, end->attempt}));
}

void NodeAgent::dial_soon() {
    if (dialing_) return;
    dialing_ = true;
    stage_.time.in(some(50, 4000), [this, life = life_] {
        dialing_ = false;
        if (life_ == life) {
            dial();
        } else if (agent_ && !link_) {
            dial_soon();
        }
    });
}

void NodeAgent::dial() {
    if (!agent_ || link_) return;
    const std::optional<std::uint64_t> link = network_.dial(machine_.id());
    if (!link) return dial_soon();
    link_ = link;
    ++links_;
    feed({LinkUp{*link}});
}

void NodeAgent::link_down(std::uint64_t link) {
    if (link_ != link) return;
    link_.reset();
    feed({LinkDown{link}});
    if (agent_) dial_soon();
}

void NodeAgent::order(std::uint64_t link, const Order& order) {
    if (link_ != link || !agent_) return;
    // Separates what is due anyway from the effects of the order.
    if (order.epoch < highest_epoch_) feed({});
    if (link_ != link || !agent_) return;
    obeying_ = &order;
    feed({OrderCame{link, order}});
    obeying_ = nullptr;
}

}  // namespace berth::sim
