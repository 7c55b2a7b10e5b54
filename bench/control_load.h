// The jobs that control_bench submits, and what it makes sure of afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/emulated_agents.h"
#include "bench/http_load.h"
#include "bench/live_daemon.h"

namespace berth::bench {

// The n-th submission, as sbatch would send it: a script of 800 bytes and an environment of 60
// variables. Sizes and limits vary: most jobs have one GPU, some take several nodes.
struct Submission {
    std::uint64_t number = 0;
    std::uint64_t run_ms = 0;       // What it runs on an emulated node.
    bool small = true;              // One GPU; else of the whole mix.
    std::uint32_t array_tasks = 0;  // 0: no array.
};
std::string submit_request(const Submission& submission);

std::vector<Connection> connect_users(const LiveDaemon& daemon, std::size_t connections);

// The job id of an accepted submission; anything else ends the bench.
std::uint32_t accepted_job(const Reply& reply);

// All nodes have registered.
void wait_for_nodes(const LiveDaemon& daemon);

// Jobs of an hour on every GPU, so that all that comes later has to wait.
void fill_cluster(const LiveDaemon& daemon);

// Submits so many jobs over 64 connections.
void fill_queue(const LiveDaemon& daemon, std::uint64_t first, std::uint64_t jobs);

// Asks accounting for each of these jobs: once, and completed.
void check_ended_once(const LiveDaemon& daemon, std::vector<std::uint32_t> jobs);
// Asks the queue: they are there.
void check_there(const LiveDaemon& daemon, std::vector<std::uint32_t> jobs);

// Words without a meaning: they pack about as well as a program does.
std::string prose(std::size_t size);

std::string text_of(double number);

// What the controller's turns consisted of since the last reset, in milliseconds: of all time, the
// longest of each part, and what the longest turn had of it.
void forget_turns(const LiveDaemon& daemon);
std::vector<std::string> turns_of(const LiveDaemon& daemon);
// Its cycles since then, and the CPU time of the controller's thread in them.
struct CycleCost {
    double count = 0, cpu_ms = 0;
};
CycleCost cycles_of(const LiveDaemon& daemon);

}  // namespace berth::bench
