// LiveDaemon: berthd as a process of its own, on a cluster of made-up nodes in a directory of its
// own, with priorities by fair share and the plan on. What is measured is what is shipped.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "berth/model/cluster_spec.h"

namespace berth::bench {

struct LiveSettings {
    std::uint32_t nodes = 1000;
    std::uint32_t plan_depth = 500;  // bf_max_job_test: jobs that get a planned start.
};

// Jobs come from so many users, each of an account of its own, where the bench may change users.
inline constexpr std::uint32_t kUsers = 64;
inline constexpr std::uint32_t kFirstUid = 20'000;

class LiveDaemon {
public:
    explicit LiveDaemon(LiveSettings settings);
    ~LiveDaemon();  // Kills it, and removes its directory.
    LiveDaemon(const LiveDaemon&) = delete;
    LiveDaemon& operator=(const LiveDaemon&) = delete;

    // Returns once it answers.
    std::chrono::milliseconds start();
    void kill();  // SIGKILL.

    const ClusterSpec& spec() const { return spec_; }
    std::string socket() const { return root_ + "/berthd.sock"; }
    std::string agent_socket() const { return root_ + "/agents.sock"; }
    std::string state() const { return root_ + "/state"; }

    struct Cost {
        double all_ms = 0;         // CPU time of the process …
        double controller_ms = 0;  // … and of the controller's thread in it.
        std::int64_t memory_mb = 0;
        Cost since(const Cost& before) const;
    };
    Cost cost() const;
    bool is_alive() const;

private:
    void write_configuration(const LiveSettings& settings) const;

    std::string root_;
    ClusterSpec spec_;
    pid_t pid_ = -1;
};

// The path of a program that was built beside the bench.
std::string program(const std::string& name);

// Ends the bench: what it found makes its figures worthless.
[[noreturn]] void give_up(const std::string& why);

double milliseconds_since(std::chrono::steady_clock::time_point start);

}  // namespace berth::bench
