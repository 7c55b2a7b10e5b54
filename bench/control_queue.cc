// A hundred thousand jobs in the queue: how long an answer waits while a snapshot is written, and
// how long a killed controller takes to come back.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/control_cases.h"
#include "bench/control_load.h"
#include "berth/store/schema.h"
#include "berth/store/snapshots.h"

namespace berth::bench {

namespace {

constexpr std::uint64_t kJobs = 100'000;
constexpr std::chrono::minutes kPatience{4};
constexpr std::chrono::seconds kRest{10};

// The newest snapshot that is complete, and how many there are of any kind.
struct Snapshots {
    std::uint64_t newest = 0;
    bool under_way = false;
};
Snapshots snapshots_of(const LiveDaemon& daemon) {
    auto database = Database::open(daemon.state() + '/' + kStateFile, {.read_only = true});
    if (!database.ok()) give_up(database.error().message);
    auto table = SnapshotTable::prepare(*database);
    if (!table.ok()) give_up(table.error().message);
    const auto rows = table->list();
    if (!rows.ok()) give_up(rows.error().message);
    Snapshots found;
    for (const SnapshotTable::Row& row : *rows) {
        if (row.complete && found.newest == 0) found.newest = row.sequence;
        if (!row.complete) found.under_way = true;
    }
    return found;
}

// Writes into the journal until one more snapshot is complete and the one too many is gone.
struct Probe {
    Times submissions, updates;
    double disk_ms = 0;  // The longest of a lone page and its sync, beside them.
};

// The same disk, asked by somebody who has nothing to do with the daemon: what it keeps waiting,
// no daemon can answer sooner.
double longest_sync(const LiveDaemon& daemon, const std::atomic<bool>& done) {
    const std::string path = daemon.state() + "/probe";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    const std::string page(4096, 'x');
    double longest = 0;
    for (bool first = true; !done; first = false) {
        const auto start = std::chrono::steady_clock::now();
        if (pwrite(file, page.data(), page.size(), 0) < 0 || fdatasync(file) != 0)
            give_up("cannot write to " + path);
        if (!first) longest = std::max(longest, milliseconds_since(start));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    close(file);
    return longest;
}
Probe write_past_a_snapshot(const LiveDaemon& daemon) {
    std::atomic<bool> done = false;
    std::thread watcher([&] {
        const std::uint64_t before = snapshots_of(daemon).newest;
        const auto begun = std::chrono::steady_clock::now();
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            const Snapshots now = snapshots_of(daemon);
            if (now.newest > before && !now.under_way) break;
            if (std::chrono::steady_clock::now() - begun > kPatience) give_up("no snapshot comes");
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));  // The journal is being cut.
        done = true;
    });
    double disk_ms = 0;
    std::thread disk([&] { disk_ms = longest_sync(daemon, done); });
    std::vector<Connection> connections;
    connections.reserve(9);
    for (int i = 0; i < 9; ++i) connections.emplace_back(daemon.socket());
    Probe probe;
    std::uint64_t number = std::uint64_t{1} << 50;
    std::uint64_t job = daemon.spec().nodes.size() * 8;
    const std::string comment = R"({"comment":")" + prose(2000);
    drive(
        connections,
        [&](std::size_t i) -> std::optional<std::string> {
            if (done) return std::nullopt;
            ++number;
            if (i == 0) return submit_request({.number = number, .run_ms = 1000, .small = false});
            const std::string path = "/v1/jobs/" + std::to_string(++job % kJobs + 10'000);
            return patch(path, comment + std::to_string(number) + "\"}");
        },
        [&](std::size_t i, const Reply& reply) {
            if (i == 0) accepted_job(reply);
            const bool over = reply.status == 409;  // The job has ended meanwhile, and is told of.
            if (reply.status >= 300 && !over) give_up("a change was refused: " + reply.body);
            (i == 0 ? probe.submissions : probe.updates).add(reply.ms);
        });
    watcher.join();
    disk.join();
    probe.disk_ms = disk_ms;
    return probe;
}

}  // namespace

std::vector<Row> measure_long_queue() {
    LiveDaemon daemon({});
    daemon.start();
    std::vector<Row> rows;
    auto start = std::chrono::steady_clock::now();
    {
        EmulatedAgents agents(daemon.spec(), daemon.agent_socket());
        wait_for_nodes(daemon);
        fill_cluster(daemon);
        start = std::chrono::steady_clock::now();
        fill_queue(daemon, 0, kJobs);
        rows.push_back({"queue of 100 000, filled over 64 connections",
                        static_cast<double>(kJobs) / milliseconds_since(start) * 1e3, "1/s", 0,
                        true, ""});
        std::this_thread::sleep_for(kRest);  // The disk may have a backlog of what filled it.
        forget_turns(daemon);
        Probe probe = write_past_a_snapshot(daemon);
        const std::string how = std::to_string(probe.submissions.count()) + " submissions and " +
                                std::to_string(probe.updates.count()) + " changes, medians " +
                                text_of(probe.submissions.at(0.5)) + " and " +
                                text_of(probe.updates.at(0.5)) + " ms";
        rows.push_back({"longest answer beside a snapshot",
                        std::max(probe.submissions.at(1), probe.updates.at(1)), "ms", 50, false,
                        how, turns_of(daemon)});
        rows.push_back({"a lone page and its sync beside it, longest", probe.disk_ms, "ms", 0,
                        false, "the disk's own"});
        rows.push_back(
            {"answer beside a snapshot, p99", probe.submissions.at(0.99), "ms", 0, false, how});
        rows.push_back({"memory with 100 000 jobs", static_cast<double>(daemon.cost().memory_mb),
                        "MB", 0, false, ""});
    }
    daemon.kill();
    const auto back = daemon.start();
    Connection connection(daemon.socket());
    const std::string body = connection.call(get("/v1/jobs?field=id")).body;
    const auto there = std::count(body.begin(), body.end(), ':');
    if (static_cast<std::uint64_t>(there) < kJobs) {
        give_up("jobs are missing after the restart: " + std::to_string(there) + ", " +
                body.substr(0, 300));
    }
    rows.push_back({"restart with 100 000 jobs", static_cast<double>(back.count()), "ms", 0, false,
                    "from exec to the first answer"});
    return rows;
}

}  // namespace berth::bench
