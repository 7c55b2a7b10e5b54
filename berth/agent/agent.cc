#include "berth/agent/agent.h"

#include <algorithm>
#include <set>

#include "berth/agent/attempts.h"
#include "berth/agent/connection.h"

namespace berth {
namespace {

constexpr std::size_t kFaultsKept = 256;
constexpr std::size_t kTombstonesTold = 16'384;  // In one registration.

}  // namespace

struct Agent::Parts {
    Parts(AgentIdentity who, std::span<const MemoryWrite> stored, AgentProtections protect,
          AgentLimits limit)
        : identity(std::move(who)),
          protections(protect),
          limits(limit),
          memory(stored),
          attempts(memory, protect) {}

    void host_event(const AgentEvent& event, Effects& effects);
    void note_faults(std::vector<GpuFault> seen, Effects& effects);
    void run_program(RunNodeProgram order, Effects& effects);
    void welcome(Welcome order, Effects& effects);
    void sample(Effects& effects);
    std::optional<Time> next_due() const;
    void link_event(AgentEvent event, Effects& effects, AgentTurn& turn);
    void obey(Order order, Effects& effects);
    bool accepts(const Order& order);
    Registration inventory();
    bool has_too_many_tombstones() const;
    Time steady(Time now);

    AgentIdentity identity;
    AgentProtections protections;
    AgentLimits limits;
    Memory memory;
    Attempts attempts;
    Connection connection;
    Time agent_started_at{};
    std::vector<GpuFault> faults;  // The latest ones that this process has seen.
    std::uint64_t last_fault = 0;
    std::set<NodeProgram> programs;  // Running programs.
    Duration sampling{};             // Interval at which live runs are measured; 0: never.
    Time sample_at{};
    std::size_t tombstones_kept = 0;  // By the last welcome.
    bool settled = false;
    // Welcomed at least once: from then on it does not ask to join again, since an administrator
    // who deletes the node means it.
    bool was_welcome = false;
    Time last_wall{};  // Of the last turn.
    Time last_steady{};
};

Agent::Agent(AgentIdentity identity, std::span<const MemoryWrite> memory,
             std::span<const RunKey> alive, Time now, AgentProtections protections,
             AgentLimits limits)
    : parts_(std::make_unique<Parts>(std::move(identity), memory, protections, limits)) {
    parts_->agent_started_at = parts_->last_wall = parts_->last_steady = now;
    const bool rebooted = parts_->memory.boot_id() != parts_->identity.boot_id;
    if (rebooted) parts_->memory.set_boot_id(parts_->identity.boot_id);
    parts_->attempts.adopt(alive, rebooted);
}

Agent::Agent(Agent&&) noexcept = default;
Agent& Agent::operator=(Agent&&) noexcept = default;
Agent::~Agent() = default;

AgentTurn Agent::turn(Time now, std::vector<AgentEvent> events) {
    Parts& parts = *parts_;
    AgentTurn turn;
    const Time steady = parts.steady(now);
    Effects effects{.now = steady};
    const auto is_of_link = [](const AgentEvent& event) {
        return std::holds_alternative<LinkUp>(event) || std::holds_alternative<LinkDown>(event) ||
               std::holds_alternative<OrderCame>(event);
    };
    if (!parts.settled) {  // The inventory is settled before it is reported.
        for (const AgentEvent& event : events) {
            if (!is_of_link(event)) parts.host_event(event, effects);
        }
        parts.attempts.settle(effects);
    }
    for (AgentEvent& event : events) {
        if (is_of_link(event)) {
            parts.link_event(std::move(event), effects, turn);
        } else if (parts.settled) {
            parts.host_event(event, effects);
        }
    }
    parts.settled = true;
    parts.attempts.kill_overdue(effects);
    parts.sample(effects);
    if (parts.has_too_many_tombstones()) {
        parts.connection.register_anew(parts.inventory(), steady, turn);
    }
    parts.connection.report(std::move(effects.reports), steady, turn);
    parts.connection.keep_alive(parts.memory, steady, turn);
    turn.actions = std::move(effects.actions);
    turn.writes = parts.memory.take_writes();
    if (const auto due = parts.next_due()) turn.wake_at = now + (*due - steady);
    return turn;
}

std::optional<Time> Agent::Parts::next_due() const {
    std::optional<Time> due = attempts.next_due();
    const auto earlier = [&](std::optional<Time> at) {
        if (at && (!due || *at < *due)) due = at;
    };
    earlier(connection.next_due(memory));
    if (sampling > Duration{} && attempts.any_live()) earlier(sample_at);
    return due;
}

void Agent::Parts::sample(Effects& effects) {
    if (sampling == Duration{} || !attempts.any_live() || effects.now < sample_at) return;
    sample_at = effects.now + sampling;
    effects.actions.emplace_back(MeasureRuns{});
}

// The wall clock may jump. A jump backwards must not stop the timers, so they use a time that never
// goes back.
Time Agent::Parts::steady(Time now) {
    if (now > last_wall) last_steady += now - last_wall;
    last_wall = now;
    return last_steady;
}

void Agent::Parts::host_event(const AgentEvent& event, Effects& effects) {
    if (const auto* started = std::get_if<RunStarted>(&event)) {
        attempts.started(started->run, effects);
    } else if (const auto* failed = std::get_if<RunFailedToStart>(&event)) {
        attempts.failed_to_start(*failed, effects);
    } else if (const auto* exited = std::get_if<RunExited>(&event)) {
        attempts.exited(*exited, effects);
    } else if (const auto* empty = std::get_if<RunEmpty>(&event)) {
        attempts.emptied(empty->run, effects);
    } else if (const auto* frozen = std::get_if<RunFrozen>(&event)) {
        attempts.frozen(*frozen, effects);
    } else if (const auto* found = std::get_if<CheckpointFound>(&event)) {
        attempts.checkpoint_found(*found, effects);
    } else if (const auto* read = std::get_if<GpusRead>(&event)) {
        connection.keep(read->gpus);
    } else if (const auto* seen = std::get_if<FaultsSeen>(&event)) {
        note_faults(seen->faults, effects);
    } else if (const auto* measured = std::get_if<UsageRead>(&event)) {
        effects.reports.emplace_back(UsageSampled{measured->runs});
    } else if (const auto* ended = std::get_if<NodeProgramExited>(&event)) {
        programs.erase(ended->program);
        effects.reports.emplace_back(NodeProgramEnded{ended->program, ended->failure});
    }
}

void Agent::Parts::note_faults(std::vector<GpuFault> seen, Effects& effects) {
    for (GpuFault& fault : seen) {
        fault.number = ++last_fault;
        faults.push_back(fault);
    }
    if (faults.size() > kFaultsKept) {
        faults.erase(faults.begin(), faults.end() - static_cast<std::ptrdiff_t>(kFaultsKept));
    }
    effects.reports.emplace_back(GpusFaulted{std::move(seen)});
}

// An order that arrives again while its program runs is a repetition.
void Agent::Parts::run_program(RunNodeProgram order, Effects& effects) {
    if (!programs.insert(order.program).second) return;
    effects.actions.emplace_back(StartNodeProgram{std::move(order)});
}

void Agent::Parts::link_event(AgentEvent event, Effects& effects, AgentTurn& turn) {
    if (const auto* up = std::get_if<LinkUp>(&event)) {
        effects.reports.clear();  // The inventory contains them all.
        connection.up(up->link, inventory(), effects.now, turn);
    } else if (const auto* down = std::get_if<LinkDown>(&event)) {
        connection.down(down->link);
    } else if (auto* came = std::get_if<OrderCame>(&event)) {
        if (connection.is(came->link) && accepts(came->order)) {
            obey(std::move(came->order), effects);
        }
    }
}

bool Agent::Parts::accepts(const Order& order) {
    if (protections.epochs && order.epoch < memory.highest_epoch()) return false;
    memory.raise_epoch(order.epoch);
    if (protections.boot_ids && order.boot_id != identity.boot_id) return false;
    return !protections.sessions || order.session == connection.session();
}

void Agent::Parts::obey(Order order, Effects& effects) {
    if (auto* launch = std::get_if<LaunchAttempt>(&order.body)) {
        attempts.launch(std::move(*launch), effects);
    } else if (auto* step = std::get_if<LaunchStep>(&order.body)) {
        attempts.launch_step(std::move(*step), effects);
    } else if (const auto* end = std::get_if<EndAttempt>(&order.body)) {
        attempts.end(*end, effects);
    } else if (const auto* end_step = std::get_if<EndStep>(&order.body)) {
        attempts.end_step(*end_step, effects);
    } else if (const auto* signal = std::get_if<SignalAttempt>(&order.body)) {
        attempts.signal(*signal, effects);
    } else if (const auto* acknowledged = std::get_if<AcknowledgeEnd>(&order.body)) {
        attempts.acknowledge(*acknowledged);
    } else if (const auto* freeze = std::get_if<FreezeAttempt>(&order.body)) {
        attempts.freeze(*freeze, effects);
    } else if (const auto* notify = std::get_if<NotifyAttempt>(&order.body)) {
        attempts.notify(*notify, effects);
    } else if (auto* welcomed = std::get_if<Welcome>(&order.body)) {
        welcome(std::move(*welcomed), effects);
    } else if (auto* program = std::get_if<RunNodeProgram>(&order.body)) {
        run_program(std::move(*program), effects);
    }
}

void Agent::Parts::welcome(Welcome order, Effects& effects) {
    const bool is_first = connection.welcome(order, effects.now);
    was_welcome = true;
    sampling = order.sampling;
    if (!is_first) return;
    // A repeated welcome is as old as the registration: jobs that were over then may have run again
    // since.
    memory.drop_tombstones_before(order.oldest_live_job);
    memory.drop_tombstones_of(order.over);
    tombstones_kept = memory.tombstones().size();
    if (order.setup) effects.actions.emplace_back(ConfigureNode{*std::move(order.setup)});
}

// If a welcome has left many tombstones because their jobs are live, the agent asks again only at
// twice that number.
bool Agent::Parts::has_too_many_tombstones() const {
    return connection.is_welcome() &&
           memory.tombstones().size() > std::max(limits.tombstones, 2 * tombstones_kept);
}

Registration Agent::Parts::inventory() {
    Registration all;
    all.node = identity.node;
    all.boot_id = identity.boot_id;
    all.session = memory.next_session();
    all.instance = identity.instance;
    all.booted_at = identity.booted_at;
    all.agent_started_at = agent_started_at;
    all.version = identity.version;
    all.os = identity.os;
    all.arch = identity.arch;
    all.found = identity.found;
    all.attempts = attempts.live();
    for (const auto& [key, end] : memory.ends()) all.attempts.push_back(end);
    for (const auto& [run, end] : memory.step_ends()) all.ended_steps.push_back(end);
    for (const auto& [job, last] : memory.tombstones()) {
        if (all.tombstones.size() == kTombstonesTold) break;
        all.tombstones.push_back(job);
    }
    all.highest_epoch = memory.highest_epoch();
    all.faults = faults;
    if (!was_welcome) all.joins = identity.joins;
    return all;
}

}  // namespace berth
