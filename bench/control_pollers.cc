// 200 users who ask for their jobs twice a second, as `watch squeue --me` would, beside a scheduler
// that has all it can do: what that costs the controller for each job, and each of its cycles.
//
// Rounds with and without pollers alternate. Each round with them is held against the mean of its
// two neighbours, so that what drifts falls out; and rounds without them against each other tell
// how much of such a ratio is noise. A figure that is less sure than its gate has not met it.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "bench/control_cases.h"
#include "bench/control_flow.h"

namespace berth::bench {
namespace {

constexpr std::size_t kPollers = 200;
constexpr std::uint32_t kFirstPoller = kFirstUid + 1000;  // Nobody else submits as these.
constexpr std::uint64_t kJobsEach = 5;
constexpr std::uint64_t kOwnRunMs = 3'600'000;  // They are there for as long as anybody polls.
constexpr std::chrono::milliseconds kPollEvery{500};
constexpr std::chrono::seconds kRound{6};
constexpr int kRounds = 12;
constexpr double kGate = 5;  // Percent.

std::uint32_t uid_of(std::size_t poller) {
    return kFirstPoller + static_cast<std::uint32_t>(poller);
}

void submit_own_jobs(const LiveDaemon& daemon) {
    for (std::size_t i = 0; i < kPollers; ++i) {
        Connection own(daemon.socket(), uid_of(i));
        for (std::uint64_t n = 0; n < kJobsEach; ++n) {
            const std::uint64_t number = (std::uint64_t{1} << 45) + i * kJobsEach + n;
            accepted_job(own.call(submit_request({.number = number, .run_ms = kOwnRunMs})));
        }
    }
}

class Pollers {
public:
    explicit Pollers(const LiveDaemon& daemon) : thread_([this, &daemon] { poll(daemon); }) {}
    ~Pollers() { stop(); }
    Times stop() {
        stopping_ = true;
        if (thread_.joinable()) thread_.join();
        return times_;
    }

private:
    void poll(const LiveDaemon& daemon) {
        using std::chrono::steady_clock;
        std::vector<Connection> connections;
        std::vector<steady_clock::time_point> next(kPollers);
        for (std::size_t i = 0; i < kPollers; ++i) {
            connections.emplace_back(daemon.socket(), uid_of(i));
            next[i] = steady_clock::now() + kPollEvery * i / kPollers;
        }
        drive(
            connections,
            [&](std::size_t i) -> std::optional<std::string> {
                if (stopping_) return std::nullopt;
                if (steady_clock::now() < next[i]) return std::string();
                next[i] += kPollEvery;
                return get("/v1/jobs?user=" + std::to_string(uid_of(i)) +
                           "&field=id&field=name&field=state&field=partition&field=owner&field="
                           "nodes&field=reason");
            },
            [&](std::size_t, const Reply& reply) {
                if (reply.status != 200) give_up("a poller was refused: " + reply.body);
                times_.add(reply.ms);
            });
    }

    std::atomic<bool> stopping_ = false;
    Times times_;
    std::thread thread_;
};

// CPU time of the controller's thread, for each job and for each cycle.
struct Round {
    double job_us = 0, cycle_us = 0, jobs_a_second = 0;
};

Round run_round(const LiveDaemon& daemon, Flow& flow) {
    forget_turns(daemon);
    const Flow::Reading reading = flow.run_for(kRound);
    const CycleCost cycles = cycles_of(daemon);
    if (reading.jobs == 0 || cycles.count == 0) {
        give_up("in a round " + text_of(reading.jobs) + " jobs ended, and " +
                text_of(cycles.count) + " cycles were counted");
    }
    return {reading.cost.controller_ms * 1e3 / reading.jobs, cycles.cpu_ms * 1e3 / cycles.count,
            reading.jobs / reading.seconds};
}

// Percent more: the mean of the ratios, and twice its standard error.
struct More {
    double mean = 0, unsure = 0;
};

More more_of(const std::vector<double>& ratios) {
    double sum = 0, squares = 0;
    for (const double ratio : ratios) sum += ratio;
    const double count = static_cast<double>(ratios.size()), mean = sum / count;
    for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
    const double deviation = std::sqrt(squares / std::max(count - 1, 1.0));
    return {(mean - 1) * 100, 2 * deviation / std::sqrt(count) * 100};
}

void add_rows(std::vector<Row>& rows, const std::string& what, double Round::* figure,
              const std::vector<Round>& alone, const std::vector<Round>& polled) {
    std::vector<double> with, without;
    for (std::size_t i = 0; i < polled.size(); ++i) {
        const double before = alone[i].*figure, after = alone[i + 1].*figure;
        with.push_back(polled[i].*figure / ((before + after) / 2));
        without.push_back(after / before);
    }
    const More more = more_of(with), noise = more_of(without);
    const std::string name = "200 pollers at 2 Hz: " + what;
    rows.push_back({.what = name,
                    .value = more.mean,
                    .unit = "% more",
                    .asked = kGate,
                    .how = text_of(alone.front().*figure) + " us without, " +
                           text_of(polled.front().*figure) + " with, in the first round; " +
                           text_of(polled.front().jobs_a_second) + " jobs/s with",
                    .unsure = more.unsure});
    rows.push_back({.what = name + ": noise, twice the standard error",
                    .value = more.unsure,
                    .unit = "%",
                    .asked = kGate,
                    .how = "without pollers at all it is " + text_of(noise.unsure) + " %; " +
                           std::to_string(kRounds) + " rounds of " +
                           std::to_string(kRound.count()) + " s"});
}

}  // namespace

std::vector<Row> measure_pollers() {
    LiveDaemon daemon({});
    daemon.start();
    Flow flow(daemon, {.pending = 10'000, .connections = 32});
    flow.warm_up();
    submit_own_jobs(daemon);
    std::vector<Round> alone{run_round(daemon, flow)}, polled;
    Times polls;
    for (int i = 0; i < kRounds; ++i) {
        Pollers pollers(daemon);
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        polled.push_back(run_round(daemon, flow));
        polls = pollers.stop();
        alone.push_back(run_round(daemon, flow));
    }
    std::vector<Row> rows;
    add_rows(rows, "the controller's CPU time a job", &Round::job_us, alone, polled);
    add_rows(rows, "the controller's CPU time a cycle", &Round::cycle_us, alone, polled);
    rows.push_back({"a poll, p99", polls.at(0.99), "ms", 0, false,
                    text_of(static_cast<double>(polls.count())) + " polls in the last round"});
    return rows;
}

}  // namespace berth::bench
