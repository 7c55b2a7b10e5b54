// The options of berth-agent.
#pragma once

#include <optional>
#include <string>

namespace berth {

struct AgentOptions {
    std::string node;           // Its name in the configuration.
    std::string controller;     // "unix:/path", or "host:port" by TLS.
    std::string api;            // Of the HTTP API by TLS, likewise for jobs: "host:port".
    std::string state;          // Directory.
    std::string config;         // Directory.
    std::string client_socket;  // Of the HTTP API: what jobs find as BERTH_SOCKET.
    std::string cgroup_prefix;
    std::string gpu_readings;  // A file, instead of the driver.
    std::string log_file, pid_file;
    bool emulate = false, lenient = false, verbose = false;
};

// nullopt: nothing to run; `exit_code` says how it ends.
std::optional<AgentOptions> parse_agent_options(int argc, char** argv, int& exit_code);

}  // namespace berth
