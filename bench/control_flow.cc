#include "bench/control_flow.h"

#include <utility>

namespace berth::bench {

namespace {

constexpr std::chrono::minutes kFlowPatience{5};

std::uint64_t run_ms_of(std::uint64_t number) { return 1000 + number * 2654435761U % 1600; }

void wait_until(const auto& condition, const char* what) {
    const auto begun = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - begun > kFlowPatience)
            give_up(std::string("waited too long for ") + what);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

}  // namespace

Flow::Flow(LiveDaemon& daemon, Settings settings) : daemon_(daemon), settings_(settings) {
    submitter_ = std::thread([this] { submit(); });
    wait_until([&] { return sent_ >= settings_.pending; }, "the queue to fill");
    agents_ = std::make_unique<EmulatedAgents>(daemon_.spec(), daemon_.agent_socket());
    counted_ = agents_.get();
}

Flow::~Flow() {
    stopping_ = true;
    if (submitter_.joinable()) submitter_.join();
}

void Flow::submit() {
    std::vector<Connection> connections = connect_users(daemon_, settings_.connections);
    std::uint64_t number = 0;
    drive(
        connections,
        [&](std::size_t) -> std::optional<std::string> {
            if (stopping_) return std::nullopt;
            const EmulatedAgents* const agents = counted_;
            const std::uint64_t started = agents == nullptr ? 0 : agents->counts().started;
            // Others' jobs start as well: more may have started than were sent from here.
            if (sent_ >= started + settings_.pending) return std::string();
            ++number;
            ++sent_;
            return submit_request({.number = number, .run_ms = run_ms_of(number), .small = false});
        },
        [&](std::size_t, const Reply& reply) {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(accepted_job(reply));
            times_.add(reply.ms);
        });
}

void Flow::warm_up() {
    wait_for_nodes(daemon_);
    wait_until([&] { return agents_->counts().ended >= daemon_.spec().nodes.size() * 10; },
               "the first jobs to end");
}

Flow::Reading Flow::run_for(std::chrono::milliseconds length) {
    {
        const std::lock_guard lock(mutex_);
        times_ = {};
    }
    const LiveDaemon::Cost before = daemon_.cost();
    const std::uint64_t ended = agents_->counts().ended;
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(length);
    Reading reading;
    reading.jobs = static_cast<double>(agents_->counts().ended - ended);
    reading.seconds = milliseconds_since(start) / 1e3;
    const std::uint64_t started = agents_->counts().started;
    reading.pending = sent_ > started ? sent_ - started : 0;
    reading.cost = daemon_.cost().since(before);
    const std::lock_guard lock(mutex_);
    reading.submit_p99_ms = times_.at(0.99);
    return reading;
}

void Flow::finish_and_check() {
    stopping_ = true;
    submitter_.join();
    wait_until([&] { return agents_->counts().ended == sent_; }, "the last jobs to end");
    // Gangs have an end to acknowledge on each of their nodes.
    wait_until([&] { return agents_->counts().acknowledged >= sent_; }, "the last word on them");
    std::this_thread::sleep_for(std::chrono::seconds(1));
    if (agents_->counts().twice > 0)
        give_up(std::to_string(agents_->counts().twice) + " jobs were started twice");
    check_ended_once(daemon_, jobs_);
}

}  // namespace berth::bench
