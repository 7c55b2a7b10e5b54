#include "apps/berth_agent/agent_options.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "berth/base/hash.h"

namespace berth {

namespace {

// Several emulated nodes, perhaps of several clusters, share this machine.
std::string own_prefix(const NodeOptions& options) {
    StateHash hash;
    hash.add(std::string_view(options.state));
    char text[16];
    std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(hash.value()));
    return std::string("berth-") + text + '/' + options.node;
}

void add_options(CLI::App& app, NodeOptions& options) {
    app.add_option("--node", options.node, "Name of the node in the configuration")->required();
    app.add_option("--config", options.config, "Directory with slurm.conf or berth.yaml")
        ->required();
    app.add_option("--client-socket", options.client_socket,
                   "Unix socket of the HTTP API, for commands that jobs run");
    app.add_option("--api", options.api,
                   "Address of the HTTP API, for commands that jobs run [HOST[:PORT]] (the "
                   "controller's, port + 3)");
    app.add_flag("--emulate", options.emulate,
                 "Emulate the node: processes are real, cores are not pinned");
    app.add_option("--cgroup-prefix", options.cgroup_prefix,
                   "Create cgroups below this path (emulated: a path of the node's own; otherwise "
                   "where Slurm's tools look)");
    app.add_option("--mps-control", options.mps_program,
                   "Use this MPS control daemon, for simulated GPUs, too (real GPUs: "
                   "/usr/bin/nvidia-cuda-mps-control; simulated: none)");
    auto* const joins =
        app.add_flag("-Z", options.joins,
                     "Join as a dynamic node, with the hardware found here and what --conf says");
    app.add_option("--conf", options.described,
                   "Describe what differs from the hardware found here [\"CPUs=8 Gres=gpu:a100:2 "
                   "Feature=big\"]")
        ->needs(joins);
    app.add_option("--log-file", options.log_file, "Log to this file (standard error)");
    app.add_option("--pid-file", options.pid_file, "Write the process id to this file");
    app.add_flag("--lenient", options.lenient, "Start in spite of errors in the configuration");
    app.add_flag("--verbose", options.verbose, "Log debugging messages, too");
}

bool parsed(CLI::App& app, int argc, char** argv, NodeOptions& options, int& exit_code) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        exit_code = app.exit(end);
        return false;
    }
    options.state = std::filesystem::absolute(options.state).string();
    options.config = std::filesystem::absolute(options.config).string();
    if (options.emulate && options.cgroup_prefix.empty()) {
        options.cgroup_prefix = own_prefix(options);
    }
    return true;
}

}  // namespace

std::optional<AgentOptions> parse_agent_options(int argc, char** argv, int& exit_code) {
    AgentOptions options;
    CLI::App app("berth-agent: runs the jobs of one node of a Berth cluster.");
    app.set_version_flag("--version", std::string("berth-agent ") + BERTH_VERSION);
    app.add_option("--controller", options.controller,
                   "Address of berthd [HOST[:PORT], once this node has joined (berth-agent join); "
                   "on the same host unix:PATH of its agent socket]")
        ->required();
    app.add_option("--state", options.state,
                   "Directory of the agent's records and, without --launcher, of running jobs; "
                   "users must then be able to reach it")
        ->required();
    app.add_option("--launcher", options.launcher,
                   "Have the berth-launcher at this socket run the jobs, so that the agent need "
                   "not be root (the agent runs them itself)");
    app.add_option("--gpu-readings", options.gpu_readings,
                   "Read what the GPUs are doing from this file, which another program writes "
                   "[lines of GPU UTILISATION MEMORY TEMPERATURE POWER] (NVIDIA's driver)");
    add_options(app, options);
    if (!parsed(app, argc, argv, options, exit_code)) return std::nullopt;
    return options;
}

std::optional<LauncherOptions> parse_launcher_options(int argc, char** argv, int& exit_code) {
    LauncherOptions options;
    CLI::App app(
        "berth-launcher: runs as root what the controller has signed, for an agent that is not "
        "root.");
    app.set_version_flag("--version", std::string("berth-launcher ") + BERTH_VERSION);
    app.add_option("--socket", options.socket, "Listen for the agent at this Unix socket")
        ->required();
    app.add_option("--agent-user", options.agent_user,
                   "User that the agent runs as (root, or the launcher's own user)");
    app.add_option("--controller-key", options.controller_keys,
                   "File with public keys of the controller; may be repeated, and missing files "
                   "are skipped")
        ->required();
    app.add_option("--lowest-uid", options.lowest_uid, "Refuse jobs of users below this uid (0)");
    app.add_option(
           "--state", options.state,
           "Directory of running jobs; it must belong to root, and users must be able to reach it")
        ->required();
    add_options(app, options);
    if (!parsed(app, argc, argv, options, exit_code)) return std::nullopt;
    return options;
}

}  // namespace berth
