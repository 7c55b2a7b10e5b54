// berth-agent: runs the jobs of one node, as a process.
#include <unistd.h>

#include <cstdio>

#include "apps/berth_agent/agent_loop.h"
#include "apps/berth_agent/join.h"
#include "apps/berth_agent/node_keys.h"
#include "apps/berth_agent/options.h"
#include "apps/berth_agent/renewal.h"
#include "apps/berth_agent/this_machine.h"
#include "apps/daemon/cluster_config.h"
#include "apps/daemon/log_file.h"
#include "apps/daemon/single_instance.h"
#include "apps/daemon/stop_signal.h"
#include "apps/daemon/wall_clock.h"
#include "berth/host/file_disk.h"
#include "berth/host/linux_node.h"
#include "berth/host/machine.h"
#include "berth/trust/certificates.h"

namespace berth {
namespace {

constexpr int kExitConfig = 78;
constexpr int kExitDisk = 74;

int fail(LogSink& log, const Error& error, int code) {
    log.write(LogLevel::error, "agent", error.message);
    std::fprintf(stderr, "berth-agent: error: %s\n", error.message.c_str());
    return code;
}

LinuxNodeOptions node_options(const AgentOptions& options, const ClusterSpec& spec, NodeId node) {
    LinuxNodeOptions wanted{.node = spec.node(node),
                            .dimensions = spec.dimensions,
                            .run_dir = options.state + "/run",
                            .shepherd = program_folder() + "/berth-step",
                            .cgroup_prefix = options.cgroup_prefix,
                            .emulated = options.emulate};
    wanted.environment.push_back("SLURM_CONF=" + options.config + "/slurm.conf");
    if (!options.client_socket.empty()) {
        wanted.environment.push_back("BERTH_SOCKET=" + options.client_socket);
    }
    if (!options.api.empty()) {
        wanted.environment.push_back("BERTH_CONTROLLER=" + options.api);
        wanted.environment.push_back("BERTH_CA=" + NodeKeys(options.state).authority_path());
    }
    return wanted;
}

// nullptr: there is nothing to ask. A driver that is there and cannot be asked is worth a line.
std::unique_ptr<GpuMeter> meter(const AgentOptions& options, const NodeSpec& node,
                                const Dimensions& dimensions, LogSink& log) {
    if (!options.gpu_readings.empty()) return file_meter(options.gpu_readings);
    if (options.emulate) return nullptr;
    Result<std::unique_ptr<GpuMeter>> driver = nvml_meter(node, dimensions);
    if (driver.ok()) return std::move(driver).value();
    if (driver.error().code != ErrorCode::not_found) {
        log.write(LogLevel::warning, "agent", "GPUs are not read: " + driver.error().message);
    }
    return nullptr;
}

Status run(const AgentOptions& options, const LinkAddress& controller, const ClusterSpec& spec,
           NodeId id, StopSignal& signals, LogSink& log) {
    BERTH_TRY(const std::unique_ptr<FileDisk> disk, FileDisk::open(options.state + "/memory"));
    LinuxNodeOptions wanted = node_options(options, spec, id);
    NodeSpec found = spec.node(id);
    if (!options.emulate) {
        BERTH_TRY(const Machine machine, discover_machine());
        wanted.cpus_of_core = cpus_of_node(spec.node(id), machine);
        found = found_node(spec.node(id), spec.dimensions, machine);
    }
    BERTH_TRY(const std::unique_ptr<LinuxNode> node, LinuxNode::open(std::move(wanted), log));
    for (const std::string& gap : node->not_isolated()) log.write(LogLevel::warning, "agent", gap);
    BERTH_TRY(AgentIdentity identity, identify(found));
    const std::vector<MemoryWrite> memory = disk->stored();
    AgentLoop loop(Agent(std::move(identity), memory, node->alive(), SystemClock().now()),
                   {.disk = *disk,
                    .node = *node,
                    .node_events = node->fd(),
                    .take_events = [&node] { return node->take_events(); },
                    .gpus = meter(options, spec.node(id), spec.dimensions, log),
                    .name = options.node},
                   log);
    log.write(LogLevel::info, "agent",
              "version " BERTH_VERSION ", node " + options.node + ", " +
                  std::to_string(node->alive().size()) + " runs adopted, controller at " +
                  options.controller);
    signals.then([&loop] { loop.stop(); });
    const NodeKeys keys(options.state);
    std::optional<Renewal> renewal;
    if (const auto* const there = std::get_if<TcpAddress>(&controller))
        renewal.emplace(keys, *there, log);
    const Status ended = loop.run({.address = options.controller,
                                   .certificates = [&keys] { return keys.read(); },
                                   .node = options.node,
                                   .version = BERTH_VERSION});
    signals.rest();
    return ended;
}

// What a controller on another host takes: the address of its API for the jobs, and our keys.
Status complete(AgentOptions& options, const LinkAddress& controller) {
    if (!std::holds_alternative<TcpAddress>(controller)) return Done{};
    if (options.api.empty()) {
        BERTH_TRY(options.api, api_behind(options.controller));
    }
    BERTH_TRY(const LinkCertificates keys, NodeKeys(options.state).read());
    BERTH_TRY(const CertificateFacts facts, read_certificate(keys.certificate));
    if (facts.name == options.node) return Done{};
    return Error{ErrorCode::failed_precondition,
                 "this node has joined as " + facts.name + ", and not as " + options.node};
}

int serve(AgentOptions options, StopSignal& signals, LogFile& log) {
    const Result<LinkAddress> controller = parse_link_address(options.controller);
    if (!controller.ok()) return fail(log, controller.error(), kExitConfig);
    const Status joined = complete(options, *controller);
    if (!joined.ok()) return fail(log, joined.error(), kExitConfig);
    const Result<ClusterSpec> spec =
        read_cluster_config(options.config, {.lenient = options.lenient, .quiet = true}, log);
    if (!spec.ok()) return fail(log, spec.error(), kExitConfig);
    const std::optional<NodeId> node = spec->find_node(options.node);
    if (!node) {
        return fail(log,
                    {ErrorCode::not_found,
                     "no node '" + options.node + "' is configured in " + options.config},
                    kExitConfig);
    }
    const Result<PidFile> pid = PidFile::write(options.pid_file);
    if (!pid.ok()) return fail(log, pid.error(), kExitConfig);
    const Status ended = run(options, *controller, *spec, *node, signals, log);
    if (!ended.ok()) return fail(log, ended.error(), kExitDisk);
    log.write(LogLevel::info, "agent", "stopped, as asked; jobs go on");
    return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
    int exit_code = 0;
    if (argc > 1 && std::string_view(argv[1]) == "join") {
        const auto asked = berth::parse_join_options(argc - 1, argv + 1, exit_code);
        if (!asked) return exit_code;
        const auto joined = berth::join(*asked);
        if (!joined.ok()) {
            std::fprintf(stderr, "berth-agent: error: %s\n", joined.error().message.c_str());
            return 1;
        }
        std::printf("%s\n", joined->c_str());
        return 0;
    }
    const auto options = berth::parse_agent_options(argc, argv, exit_code);
    if (!options) return exit_code;
    berth::StopSignal signals;
    auto log = berth::LogFile::open(
        options->log_file, options->verbose ? berth::LogLevel::debug : berth::LogLevel::info);
    if (!log.ok()) {
        std::fprintf(stderr, "berth-agent: error: %s\n", log.error().message.c_str());
        return 1;
    }
    return berth::serve(*options, signals, **log);
}
