#include "apps/berth_agent/agent_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "apps/berth_agent/node_programs.h"
#include "apps/berth_agent/pulse.h"
#include "apps/daemon/process_limits.h"
#include "apps/daemon/wall_clock.h"
#include "berth/host/hardware/gpu_watch.h"

namespace berth {

namespace {

// The wall clock may jump during a wait, which uses the steady clock: so look again this often.
constexpr Duration kLongestWait = std::chrono::seconds(5);
// More often than any heartbeat is sent, so that the readings in it are fresh.
constexpr Duration kWatchGpusEvery = std::chrono::seconds(5);

}  // namespace

struct AgentLoop::Parts {
    Agent agent;
    AgentPorts ports;
    LogSink& log;
    SystemClock clock;
    std::optional<Time> wake_at = Time{};  // The first turn waits for nothing.

    int arrived = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    std::atomic<bool> stopping = false;
    std::mutex mutex;
    std::vector<AgentEvent> from_link;
    NodePrograms programs{ports.name, [this](NodeProgramExited ended) { push(std::move(ended)); }};

    void push(AgentEvent event);
    void wake() const;
    void wait();
    std::vector<AgentEvent> take();
    Status turn(AgentClient& link, Pulse& pulse);
};

AgentLoop::AgentLoop(Agent agent, AgentPorts ports, LogSink& log)
    : parts_(new Parts{std::move(agent), std::move(ports), log}) {
    if (parts_->arrived < 0) end_for_want_of("cannot make a descriptor to be woken by", errno);
}

AgentLoop::~AgentLoop() { close(parts_->arrived); }

void AgentLoop::Parts::wake() const {
    const std::uint64_t one = 1;
    const ssize_t written = write(arrived, &one, sizeof one);
    // EAGAIN: the counter is full, so the loop wakes anyway.
    BERTH_ASSERT(written == sizeof one || errno == EAGAIN);
}

void AgentLoop::Parts::push(AgentEvent event) {
    {
        const std::lock_guard lock(mutex);
        from_link.push_back(std::move(event));
    }
    wake();
}

void AgentLoop::Parts::wait() {
    Duration most = kLongestWait;
    if (wake_at) most = std::clamp(*wake_at - clock.now(), Duration{}, kLongestWait);
    pollfd waited[2] = {{arrived, POLLIN, 0}, {ports.node_events, POLLIN, 0}};
    poll(waited, 2, static_cast<int>(most.count()));
    std::uint64_t count = 0;
    (void)!read(arrived, &count, sizeof count);
}

std::vector<AgentEvent> AgentLoop::Parts::take() {
    std::vector<AgentEvent> events = ports.take_events();
    const std::lock_guard lock(mutex);
    events.insert(events.end(), std::make_move_iterator(from_link.begin()),
                  std::make_move_iterator(from_link.end()));
    from_link.clear();
    return events;
}

Status AgentLoop::Parts::turn(AgentClient& link, Pulse& pulse) {
    pulse.turn_begins();
    AgentTurn turn = agent.turn(clock.now(), take());
    if (!turn.writes.empty()) BERTH_CHECK(ports.disk.write(turn.writes));
    for (HostAction& action : turn.actions) {
        const auto* start = std::get_if<StartNodeProgram>(&action);
        if (start != nullptr && !ports.runs_programs) {
            programs.start(start->program);
        } else {
            ports.node.act(std::move(action));
        }
    }
    for (OutgoingReport& report : turn.reports) {
        pulse.sent(report);
        link.send(std::move(report));
    }
    if (turn.close) link.close(*turn.close);
    wake_at = turn.wake_at;
    pulse.turn_ends();
    return Done{};
}

Status AgentLoop::run(AgentClientSettings settings) {
    Parts& parts = *parts_;
    BERTH_TRY(const std::unique_ptr<AgentClient> link,
              AgentClient::start(std::move(settings), parts.log,
                                 [&parts](AgentEvent event) { parts.push(std::move(event)); }));
    std::optional<GpuWatch> watch;
    if (parts.ports.gpus) {
        watch.emplace(
            std::move(parts.ports.gpus), kWatchGpusEvery, parts.log,
            [&parts](std::vector<GpuReading> gpus) { parts.push(GpusRead{std::move(gpus)}); },
            [&parts](std::vector<GpuFault> faults) { parts.push(FaultsSeen{std::move(faults)}); });
    }
    Pulse pulse([&link](OutgoingReport report) { link->send(std::move(report)); });
    while (!parts.stopping) {
        parts.wait();
        BERTH_CHECK(parts.turn(*link, pulse));
        if (parts.ports.lost && !parts.stopping) BERTH_CHECK(parts.ports.lost());
    }
    return Done{};
}

void AgentLoop::stop() {
    parts_->stopping = true;
    parts_->wake();
}

}  // namespace berth
