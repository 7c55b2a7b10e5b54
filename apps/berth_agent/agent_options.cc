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
    app.add_option("--node", options.node, "The node's name in the configuration")->required();
    app.add_option("--config", options.config, "Directory with slurm.conf, berth.yaml …")
        ->required();
    app.add_option("--client-socket", options.client_socket,
                   "Socket of the HTTP API, for the commands that jobs run");
    app.add_option("--api", options.api,
                   "HOST[:PORT] of the HTTP API, likewise (3 ports behind the controller's)");
    app.add_flag("--emulate", options.emulate,
                 "The node is not this machine: processes are real, cores are not pinned");
    app.add_option(
        "--cgroup-prefix", options.cgroup_prefix,
        "Where the cgroups lie (emulated: one of its own, else where Slurm's tools look)");
    app.add_option("--mps-control", options.mps_program,
                   "The MPS control daemon, for simulated GPUs too (none of theirs: "
                   "/usr/bin/nvidia-cuda-mps-control for real ones)");
    auto* const joins = app.add_flag(
        "-Z", options.joins,
        "The node need not be configured: it joins as this machine is, and as --conf says");
    app.add_option("--conf", options.described,
                   "What is not as it is found, in slurm.conf's words: \"CPUs=8 Gres=gpu:a100:2 "
                   "Feature=big\"")
        ->needs(joins);
    app.add_option("--log-file", options.log_file, "Instead of standard error");
    app.add_option("--pid-file", options.pid_file, "Where to write the process id");
    app.add_flag("--lenient", options.lenient, "Start in spite of errors in the configuration");
    app.add_flag("--verbose", options.verbose, "Log debugging messages too");
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
    app.add_option(
           "--controller", options.controller,
           "HOST[:PORT] of berthd, once this node has joined (berth-agent join); on its own "
           "host unix:PATH of its agent socket")
        ->required();
    app.add_option("--state", options.state,
                   "Directory of what it remembers and, without --launcher, of running jobs; users "
                   "must be able to reach it then")
        ->required();
    app.add_option(
        "--launcher", options.launcher,
        "Socket of the berth-launcher that runs the jobs, so that this process needs not "
        "be root (none: it runs them itself)");
    app.add_option("--gpu-readings", options.gpu_readings,
                   "A file in which another program notes what the GPUs are doing, a line each: "
                   "GPU UTILISATION MEMORY TEMPERATURE POWER (default: NVIDIA's driver is asked)");
    add_options(app, options);
    if (!parsed(app, argc, argv, options, exit_code)) return std::nullopt;
    return options;
}

std::optional<LauncherOptions> parse_launcher_options(int argc, char** argv, int& exit_code) {
    LauncherOptions options;
    CLI::App app(
        "berth-launcher: runs what the controller has signed, as root, for an agent that is not.");
    app.set_version_flag("--version", std::string("berth-launcher ") + BERTH_VERSION);
    app.add_option("--socket", options.socket, "Where the agent comes to")->required();
    app.add_option("--agent-user", options.agent_user,
                   "User that the agent runs as (none: root, or the launcher's own)");
    app.add_option("--controller-key", options.controller_keys,
                   "File with the controller's public keys; of several, those that are there")
        ->required();
    app.add_option("--lowest-uid", options.lowest_uid, "No jobs of users below (0)");
    app.add_option("--state", options.state,
                   "Directory of running jobs, root's own; users must be able to reach it")
        ->required();
    add_options(app, options);
    if (!parsed(app, argc, argv, options, exit_code)) return std::nullopt;
    return options;
}

}  // namespace berth
