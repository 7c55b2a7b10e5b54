// What is written: arrays, submissions one by one, and jobs from submission to end.
#include <atomic>
#include <thread>

#include "bench/control_cases.h"
#include "bench/control_flow.h"
#include "berth/client/client.h"

namespace berth::bench {

namespace {

constexpr std::size_t kConnections = 16;
constexpr int kArrays = 60;
constexpr std::chrono::seconds kSubmitting{10}, kFlowing{15};

// A daemon whose every GPU is held by a job of ten hours.
struct BusyCluster {
    BusyCluster() {
        daemon.start();
        agents.emplace(daemon.spec(), daemon.agent_socket());
        wait_for_nodes(daemon);
        fill_cluster(daemon);
        while (agents->counts().started < daemon.spec().nodes.size() * 8)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    LiveDaemon daemon{{}};
    std::optional<EmulatedAgents> agents;
};

std::string cost_of(const LiveDaemon::Cost& cost, double per) {
    return text_of(cost.all_ms * 1e3 / per) + " us of CPU each, " +
           text_of(cost.controller_ms * 1e3 / per) + " of it the controller's thread; " +
           std::to_string(cost.memory_mb) + " MB";
}

}  // namespace

std::vector<Row> measure_arrays() {
    BusyCluster cluster;
    Connection connection(cluster.daemon.socket(), kFirstUid);
    Times times;
    for (int i = 0; i < kArrays; ++i) {
        const std::string request = submit_request(
            {.number = static_cast<std::uint64_t>(i), .run_ms = 1000, .array_tasks = 10'000});
        const Reply reply = connection.call(request);
        times.add(reply.ms);
        const std::string job = std::to_string(accepted_job(reply));
        if (connection.call(post("/v1/jobs/" + job + "/cancel", "{}")).status >= 300)
            give_up("array " + job + " cannot be cancelled");
    }
    const std::string how = std::to_string(kArrays) + " arrays, all GPUs busy";
    return {{"array of 10 000 tasks, accepted, median", times.at(0.5), "ms", 5, false, how},
            {"array of 10 000 tasks, accepted, p99", times.at(0.99), "ms", 5, false, how}};
}

std::vector<Row> measure_submissions() {
    BusyCluster cluster;
    std::vector<Connection> connections = connect_users(cluster.daemon, kConnections);
    Times times;
    std::vector<std::uint32_t> jobs;
    std::uint64_t number = 0;
    forget_turns(cluster.daemon);
    const LiveDaemon::Cost before = cluster.daemon.cost();
    const auto start = std::chrono::steady_clock::now();
    drive(
        connections,
        [&](std::size_t) -> std::optional<std::string> {
            if (std::chrono::steady_clock::now() - start > kSubmitting) return std::nullopt;
            return submit_request({.number = ++number, .run_ms = 1000, .small = false});
        },
        [&](std::size_t, const Reply& reply) {
            jobs.push_back(accepted_job(reply));
            times.add(reply.ms);
        });
    const double seconds = milliseconds_since(start) / 1e3;
    const LiveDaemon::Cost cost = cluster.daemon.cost().since(before);
    const auto count = static_cast<double>(jobs.size());
    const std::vector<std::string> turns = turns_of(cluster.daemon);
    check_there(cluster.daemon, std::move(jobs));
    const std::string how = "over " + std::to_string(kConnections) + " connections, all GPUs busy";
    return {{"submissions, one by one", count / seconds, "1/s", 8000, true,
             how + "; " + cost_of(cost, count), turns},
            {"submission, median", times.at(0.5), "ms", 0, false, how},
            {"submission, p99", times.at(0.99), "ms", 0, false, how},
            {"submission, worst", times.at(1), "ms", 0, false, how}};
}

std::vector<Row> measure_flow() {
    std::vector<Row> rows;
    for (const std::uint32_t depth : {500U, 20'000U}) {
        LiveDaemon daemon({.plan_depth = depth});
        daemon.start();
        Flow flow(daemon, {.pending = 10'000});
        flow.warm_up();
        const Flow::Reading reading = flow.run_for(kFlowing);
        flow.finish_and_check();
        const std::string name = "flow, planned down to " + std::to_string(depth);
        const std::string how = "1000 nodes, " + std::to_string(reading.pending) + " pending; " +
                                cost_of(reading.cost, reading.jobs);
        rows.push_back({name + ": jobs", reading.jobs / reading.seconds, "1/s", 2000, true, how});
        rows.push_back({name + ": pending at the end", static_cast<double>(reading.pending), "jobs",
                        9000, true, ""});
        rows.push_back({name + ": submission p99", reading.submit_p99_ms, "ms", 0, false, how});
    }
    return rows;
}

}  // namespace berth::bench
