// The options of berth-agent and of berth-launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth {

// What agents and launchers are both told.
struct NodeOptions {
    std::string node;           // Its name in the configuration.
    std::string api;            // Of the HTTP API by TLS, for jobs: "host:port".
    std::string state;          // Directory.
    std::string config;         // Directory.
    std::string client_socket;  // Of the HTTP API: what jobs find as BERTH_SOCKET.
    std::string cgroup_prefix;
    std::string mps_program;  // Empty: NVIDIA's.
    std::string log_file, pid_file;
    std::string described;  // What --conf says of the node, where it joins by itself.
    bool joins = false;     // It need not be configured.
    bool emulate = false, lenient = false, verbose = false;
};

struct AgentOptions : NodeOptions {
    std::string controller;    // "unix:/path", or "host:port" by TLS.
    std::string gpu_readings;  // A file, instead of the driver.
    std::string launcher;      // The socket of a launcher; empty: the agent does it all itself.
};

struct LauncherOptions : NodeOptions {
    std::string socket;
    std::string agent_user;                    // Who may come there besides root and we.
    std::vector<std::string> controller_keys;  // Files; those that are not there are passed over.
    std::uint32_t lowest_uid = 0;
};

// nullopt: nothing to run; `exit_code` says how it ends.
std::optional<AgentOptions> parse_agent_options(int argc, char** argv, int& exit_code);
std::optional<LauncherOptions> parse_launcher_options(int argc, char** argv, int& exit_code);

}  // namespace berth
