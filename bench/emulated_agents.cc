#include "bench/emulated_agents.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <set>
#include <thread>
#include <vector>

#include "apps/berth_agent/this_machine.h"
#include "apps/daemon/wall_clock.h"
#include "bench/live_daemon.h"
#include "berth/agent/agent.h"
#include "berth/model/exit_status.h"
#include "berth/wire/agent_client.h"

namespace berth::bench {

namespace {

Duration run_time_of(const JobSpec& spec) {
    std::int64_t ms = 0;
    const std::string& name = spec.name;
    const std::size_t at = name.find_last_not_of("0123456789") + 1;
    std::from_chars(name.data() + at, name.data() + name.size(), ms);
    return Duration(ms);
}

struct Node {
    Agent agent;
    std::unique_ptr<AgentClient> client;
    std::vector<AgentEvent> events;  // For its next turn.
    std::set<RunKey> scripts;        // That run.
    std::optional<Time> timer_at;    // Of the timer that gives it a turn.
};

}  // namespace

struct EmulatedAgents::Parts {
    SilentLog log;
    SystemClock clock;
    std::vector<Node> nodes;

    std::mutex mutex;  // Of what comes over the links, and of the end.
    std::condition_variable came;
    std::vector<std::pair<std::size_t, AgentEvent>> incoming;
    bool stopping = false;

    // The worker's alone.
    struct Timer {
        Time at;
        std::size_t node;
        std::optional<RunKey> script;  // That ends then; none: the agent wants a turn.
        bool operator>(const Timer& other) const { return at > other.at; }
    };
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers;
    std::vector<std::size_t> awake;  // Nodes with events.
    std::set<JobId> seen;

    std::atomic<std::uint64_t> started = 0, ended = 0, acknowledged = 0, twice = 0;
    std::thread worker;

    void run();
    bool wait();
    void wake(std::size_t node, AgentEvent event);
    void take_due(Time now);
    void turn(std::size_t index, Time now);
    void act(std::size_t index, HostAction action, Time now);
    void end_script(std::size_t index, const RunKey& script, ExitStatus exit);
};

void EmulatedAgents::Parts::run() {
    while (wait()) {
        const Time now = clock.now();
        take_due(now);
        while (!awake.empty()) {
            for (const std::size_t index : std::exchange(awake, {})) turn(index, now);
        }
    }
}

// False: it is over.
bool EmulatedAgents::Parts::wait() {
    std::vector<std::pair<std::size_t, AgentEvent>> taken;
    {
        std::unique_lock lock(mutex);
        Duration longest = std::chrono::seconds(1);
        if (!timers.empty()) longest = std::min(longest, timers.top().at - clock.now());
        if (longest > Duration{})
            came.wait_for(lock, longest, [&] { return stopping || !incoming.empty(); });
        if (stopping) return false;
        taken.swap(incoming);
    }
    for (auto& [node, event] : taken) {
        const auto* const order = std::get_if<OrderCame>(&event);
        if (order != nullptr && std::holds_alternative<AcknowledgeEnd>(order->order.body))
            ++acknowledged;
        wake(node, std::move(event));
    }
    return true;
}

void EmulatedAgents::Parts::wake(std::size_t node, AgentEvent event) {
    if (nodes[node].events.empty()) awake.push_back(node);
    nodes[node].events.push_back(std::move(event));
}

void EmulatedAgents::Parts::take_due(Time now) {
    while (!timers.empty() && timers.top().at <= now) {
        const Timer timer = timers.top();
        timers.pop();
        if (timer.script) {
            end_script(timer.node, *timer.script, {});
        } else if (nodes[timer.node].timer_at == timer.at) {
            nodes[timer.node].timer_at.reset();
            if (nodes[timer.node].events.empty()) turn(timer.node, now);
        }
    }
}

void EmulatedAgents::Parts::turn(std::size_t index, Time now) {
    Node& node = nodes[index];
    AgentTurn turn = node.agent.turn(now, std::exchange(node.events, {}));
    for (HostAction& action : turn.actions) act(index, std::move(action), now);
    for (OutgoingReport& report : turn.reports) node.client->send(std::move(report));
    if (turn.close) node.client->close(*turn.close);
    if (!turn.wake_at || (node.timer_at && *node.timer_at <= *turn.wake_at)) return;
    node.timer_at = std::max(*turn.wake_at, now + Duration(1));
    timers.push({*node.timer_at, index, std::nullopt});
}

void EmulatedAgents::Parts::act(std::size_t index, HostAction action, Time now) {
    if (const auto* const start = std::get_if<StartAttempt>(&action)) {
        const LaunchAttempt& launch = start->launch;
        RunKey run{launch.job, launch.attempt, kExternStep};
        if (launch.batch_host) {
            run.step = kBatchStep;
            nodes[index].scripts.insert(run);
            timers.push({now + run_time_of(launch.spec), index, run});
            ++started;
            if (!seen.insert(launch.job).second) ++twice;
        }
        wake(index, RunStarted{run});
    } else if (const auto* const signal = std::get_if<SignalRun>(&action)) {
        if (!signal->whole) return;
        const RunKey script{signal->run.job, signal->run.attempt, kBatchStep};
        end_script(index, script, exit_by_signal(signal->signal));
        wake(index, RunEmpty{signal->run});
    } else if (std::holds_alternative<StartStep>(action)) {
        give_up("a step was to be started, and emulated agents have none");
    }
}

void EmulatedAgents::Parts::end_script(std::size_t index, const RunKey& script, ExitStatus exit) {
    if (nodes[index].scripts.erase(script) == 0) return;
    ++ended;
    wake(index, RunExited{script, exit, false});
    wake(index, RunEmpty{script});
}

EmulatedAgents::EmulatedAgents(const ClusterSpec& spec, const std::string& agent_socket)
    : parts_(std::make_unique<Parts>()) {
    Parts& parts = *parts_;
    for (const NodeSpec& found : spec.nodes) {
        Result<AgentIdentity> identity = identify(found);
        if (!identity.ok()) give_up(identity.error().message);
        parts.nodes.push_back({.agent = Agent(*std::move(identity), {}, {}, parts.clock.now())});
    }
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) {
        auto client = AgentClient::start(
            {.address = "unix:" + agent_socket, .node = spec.nodes[i].name, .version = "bench"},
            parts.log, [&parts, i](AgentEvent event) {
                const std::lock_guard lock(parts.mutex);
                parts.incoming.emplace_back(i, std::move(event));
                parts.came.notify_one();
            });
        if (!client.ok()) give_up(client.error().message);
        parts.nodes[i].client = std::move(client).value();
    }
    parts.worker = std::thread([&parts] { parts.run(); });
}

EmulatedAgents::~EmulatedAgents() {
    {
        const std::lock_guard lock(parts_->mutex);
        parts_->stopping = true;
    }
    parts_->came.notify_one();
    parts_->worker.join();
    for (Node& node : parts_->nodes) node.client.reset();
}

EmulatedAgents::Counts EmulatedAgents::counts() const {
    return {parts_->started, parts_->ended, parts_->acknowledged, parts_->twice};
}

}  // namespace berth::bench
