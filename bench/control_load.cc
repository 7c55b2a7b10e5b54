#include "bench/control_load.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

#include "berth/client/client.h"

namespace berth::bench {

namespace {

constexpr std::uint32_t kGpus = 8;
constexpr std::chrono::seconds kLoadPatience{120};
constexpr std::size_t kIdsPerQuery = 1500;  // What a request line has room for.

// Every third variable is an identifier, which does not pack; the others are paths.
std::string payload_json() {
    std::string text = R"({"script":"#!/bin/bash\n)" + prose(780) + R"(","environment":[)";
    std::uint64_t draw = 1;
    for (int i = 0; i < 60; ++i) {
        draw = draw * 6364136223846793005U + 1442695040888963407U;
        char id[17];
        std::snprintf(id, sizeof id, "%016llx", static_cast<unsigned long long>(draw));
        text += (i == 0 ? "\"" : ",\"") + std::string("A_VARIABLE_") + std::to_string(i) + "=" +
                (i % 3 == 0 ? id + std::string(id, 8)
                            : "/opt/software/tools/" + std::to_string(i) + "/lib") +
                "\"";
    }
    return text + "]}";
}

// Nine of ten jobs have one GPU, and one of a hundred several nodes.
std::string amount_json(const Submission& one) {
    const std::uint64_t draw = one.small ? 0 : one.number * 2654435761U % 100;
    const std::uint64_t gpus = draw < 88 ? 1 : draw < 93 ? 2 : draw < 96 ? 4 : kGpus;
    const std::uint64_t nodes = draw < 99 ? 1 : 4;
    std::string text = R"("nodes_min":)" + std::to_string(nodes) + R"(,"tasks":)" +
                       std::to_string(nodes) + R"(,"cpus_per_task":)" + std::to_string(gpus) +
                       R"(,"gpus_per_node":[{"name":"gpu","type":"","count":)" +
                       std::to_string(gpus) + "}]";
    return nodes == 1 ? text : text + R"(,"nodes_given":true,"nodes_max":)" + std::to_string(nodes);
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> jobs) {
    std::ranges::sort(jobs);
    if (std::ranges::adjacent_find(jobs) != jobs.end())
        give_up("one job id was given to two submissions");
    return jobs;
}

}  // namespace

std::string prose(std::size_t size) {
    std::string text;
    for (std::uint64_t draw = 7; text.size() < size;) {
        draw = draw * 6364136223846793005U + 1442695040888963407U;
        for (std::uint64_t left = draw >> 20, n = 2 + left % 7; n > 0; --n, left /= 26)
            text.push_back(static_cast<char>('a' + left % 26));
        text.push_back(' ');
    }
    text.resize(size);
    return text;
}

std::string text_of(double number) {
    char text[32];
    std::snprintf(text, sizeof text, number < 10 ? "%.2f" : "%.0f", number);
    return text;
}

void forget_turns(const LiveDaemon& daemon) {
    if (!Client(Endpoint{daemon.socket()}).reset_diagnostics().ok()) give_up("sdiag -r is refused");
}

std::vector<std::string> turns_of(const LiveDaemon& daemon) {
    const auto row = Client(Endpoint{daemon.socket()}).diagnostics();
    if (!row.ok()) give_up("the diagnostics cannot be read");
    const auto ms = [](std::int64_t micros) { return text_of(static_cast<double>(micros) / 1e3); };
    std::vector<std::string> lines;
    for (const api::TurnFigures& part : row->turns) {
        lines.push_back(part.part + ": " + std::to_string(part.count) + " times, " +
                        ms(part.total) + " ms in all, at most " + ms(part.most) + ", " +
                        ms(part.in_longest_turn) + " in the longest turn");
    }
    lines.push_back("cycles, while deciding: " + std::to_string(row->cycles.cycles) + " times, " +
                    ms(row->cycles.total) + " ms in all, " + ms(row->cycles.total_cpu) +
                    " of CPU time, at most " + ms(row->cycles.most));
    return lines;
}

CycleCost cycles_of(const LiveDaemon& daemon) {
    const auto row = Client(Endpoint{daemon.socket()}).diagnostics();
    if (!row.ok()) give_up("the diagnostics cannot be read");
    return {static_cast<double>(row->cycles.cycles),
            static_cast<double>(row->cycles.total_cpu) / 1e3};
}

std::string submit_request(const Submission& one) {
    static const std::string payload = payload_json();
    char id[33];
    std::snprintf(id, sizeof id, "%032llx", static_cast<unsigned long long>(one.number));
    std::string body =
        R"({"spec":{"name":"train)" + std::to_string(one.number % 100) + "-" +
        std::to_string(one.run_ms) + R"(","request":{)" + amount_json(one) + R"(,"time_limit":)" +
        std::to_string(3600 + one.number * 7919 % 600 * 60) +
        R"(},"command":{"work_dir":"/home/ann/experiments/2026","std_out":"/dev/null",)"
        R"("script_name":"train.sh","submit_host":"login1",)"
        R"("submit_line":"sbatch --gres=gpu:1 --time=12:00:00 train.sh"},)"
        R"("request_id":")" +
        id + '"';
    if (one.array_tasks > 0) {
        body += R"(,"array":{"tasks":[)";
        for (std::uint32_t i = 0; i < one.array_tasks; ++i)
            body += (i == 0 ? "" : ",") + std::to_string(i);
        body += R"(],"max_running":0})";
    }
    return post("/v1/jobs", body + R"(},"payload":)" + payload + "}");
}

std::vector<Connection> connect_users(const LiveDaemon& daemon, std::size_t connections) {
    std::vector<Connection> all;
    all.reserve(connections);
    for (std::size_t i = 0; i < connections; ++i) {
        all.emplace_back(daemon.socket(), kFirstUid + static_cast<std::uint32_t>(i) % kUsers);
    }
    return all;
}

std::uint32_t accepted_job(const Reply& reply) {
    if (reply.status != 201)
        give_up("a submission was refused: " + std::to_string(reply.status) + ' ' + reply.body);
    constexpr std::string_view kJob = R"("job":)";
    const std::size_t at = reply.body.find(kJob);
    std::uint32_t job = 0;
    if (at != std::string::npos) {
        std::from_chars(reply.body.data() + at + kJob.size(), reply.body.data() + reply.body.size(),
                        job);
    }
    if (job == 0) give_up("an answer without a job: " + reply.body);
    return job;
}

void wait_for_nodes(const LiveDaemon& daemon) {
    Client client(Endpoint{daemon.socket()});
    const auto begun = std::chrono::steady_clock::now();
    for (;;) {
        const auto nodes = client.nodes();
        if (!nodes.ok()) give_up("cannot list the nodes");
        const auto is_up = [](const api::NodeRow& node) {
            return node.state != "DOWN" && node.state != "UNKNOWN" && node.flags.empty();
        };
        if (std::ranges::all_of(*nodes, is_up)) return;
        if (std::chrono::steady_clock::now() - begun > kLoadPatience)
            give_up("the agents do not register");
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

namespace {
// So many jobs like this one, over 64 connections, each with a number of its own.
void submit_many(const LiveDaemon& daemon, std::uint64_t jobs, Submission like) {
    std::vector<Connection> connections = connect_users(daemon, 64);
    drive(
        connections,
        [&](std::size_t) -> std::optional<std::string> {
            if (jobs == 0) return std::nullopt;
            --jobs;
            std::string request = submit_request(like);
            ++like.number;
            return request;
        },
        [](std::size_t, const Reply& reply) { accepted_job(reply); });
}
}  // namespace

void fill_cluster(const LiveDaemon& daemon) {
    submit_many(daemon, daemon.spec().nodes.size() * kGpus,
                {.number = std::uint64_t{1} << 40, .run_ms = 36'000'000});
}

void fill_queue(const LiveDaemon& daemon, std::uint64_t first, std::uint64_t jobs) {
    submit_many(daemon, jobs, {.number = first, .run_ms = 1000, .small = false});
}

void check_ended_once(const LiveDaemon& daemon, std::vector<std::uint32_t> jobs) {
    jobs = sorted(std::move(jobs));
    std::vector<std::uint8_t> seen(jobs.empty() ? 0 : jobs.back() + 1);
    Client client(Endpoint{daemon.socket()});
    for (std::size_t first = 0; first < jobs.size(); first += kIdsPerQuery) {
        api::AccountingQuery query{.from = from_seconds(1), .duplicates = true};
        const std::size_t end = std::min(first + kIdsPerQuery, jobs.size());
        for (std::size_t i = first; i < end; ++i) query.jobs.emplace_back(jobs[i]);
        const auto read = client.each_accounting(query, [&](api::AccountingRow&& row) {
            std::uint8_t& times = seen.at(row.job.value());
            times = row.state == "COMPLETED" && times == 0 ? 1 : 2;
            return true;
        });
        if (!read.ok()) give_up("accounting cannot be read: " + read.problem().detail);
    }
    const auto wrong = std::ranges::count_if(jobs, [&](std::uint32_t id) { return seen[id] != 1; });
    if (wrong > 0) give_up(std::to_string(wrong) + " acknowledged jobs have not ended once");
}

void check_there(const LiveDaemon& daemon, std::vector<std::uint32_t> jobs) {
    jobs = sorted(std::move(jobs));
    std::vector<std::uint32_t> found;
    Client client(Endpoint{daemon.socket()});
    const auto read = client.each_job({.fields = {"id"}}, [&](api::JobRow&& row) {
        found.push_back(row.id.value());
        return true;
    });
    if (!read.ok()) give_up("the queue cannot be read");
    if (!std::ranges::includes(found, jobs)) give_up("acknowledged jobs are missing");
}

}  // namespace berth::bench
