// The options of berth-agent and berth-launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth {

// Options that agents and launchers share.
struct NodeOptions {
    std::string node;           // Its name in the configuration.
    std::string api;            // Address of the HTTP API over TLS, for jobs: "host:port".
    std::string state;          // A directory.
    std::string config;         // A directory.
    std::string client_socket;  // Of the HTTP API; jobs find it as BERTH_SOCKET.
    std::string cgroup_prefix;
    std::string mps_program;  // Empty: NVIDIA's.
    std::string log_file, pid_file;
    std::string described;  // For a dynamic node: the description from --conf.
    bool joins = false;     // Dynamic node: it need not be configured.
    bool emulate = false, lenient = false, verbose = false;
};

struct AgentOptions : NodeOptions {
    std::string controller;    // "unix:/path", or "host:port" for TLS.
    std::string gpu_readings;  // A file, instead of the driver.
    std::string launcher;      // Socket of a launcher; empty: the agent does its work itself.
};

struct LauncherOptions : NodeOptions {
    std::string socket;
    std::string agent_user;                    // A user that may connect, besides root and our own.
    std::vector<std::string> controller_keys;  // Files; missing ones are skipped.
    std::uint32_t lowest_uid = 0;
};

// nullopt: nothing to run; `exit_code` is the process's exit status.
std::optional<AgentOptions> parse_agent_options(int argc, char** argv, int& exit_code);
std::optional<LauncherOptions> parse_launcher_options(int argc, char** argv, int& exit_code);

}  // namespace berth
