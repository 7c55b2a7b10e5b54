// berth-agent: runs the jobs of one node.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>

#include "apps/berth_agent/agent_loop.h"
#include "apps/berth_agent/agent_options.h"
#include "apps/berth_agent/join.h"
#include "apps/berth_agent/joining.h"
#include "apps/berth_agent/node_keys.h"
#include "apps/berth_agent/node_options.h"
#include "apps/berth_agent/renewal.h"
#include "apps/berth_agent/this_machine.h"
#include "apps/daemon/configured_log.h"
#include "apps/daemon/log_file.h"
#include "apps/daemon/process_limits.h"
#include "apps/daemon/single_instance.h"
#include "apps/daemon/stop_signal.h"
#include "apps/daemon/wall_clock.h"
#include "berth/agent/memory.h"
#include "berth/host/hardware/machine.h"
#include "berth/host/node/file_disk.h"
#include "berth/host/node/linux_node.h"
#include "berth/launcher/remote_node.h"
#include "berth/trust/certificates.h"
#include "berth/trust/ownership.h"

namespace berth {
namespace {

constexpr int kExitConfig = 78;
constexpr int kExitDisk = 74;
constexpr int kExitTry = 75;

bool is_lost(const Status& ended) {
    return !ended.ok() && ended.error().code == ErrorCode::unavailable;
}

int fail(LogSink& log, const Error& error, int code) {
    log.write(LogLevel::error, "agent", error.message);
    std::fprintf(stderr, "berth-agent: error: %s\n", error.message.c_str());
    return code;
}

// nullptr: no meter. If there is a driver that cannot be queried, that is logged.
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

// The Node that carries out the agent's actions: its own, or that of a launcher running as root.
struct HandedNode {
    std::unique_ptr<Node> node;
    int events = -1;
    std::function<std::vector<AgentEvent>()> take_events;
    std::function<Status()> lost;
    std::vector<RunKey> alive;
    std::vector<std::string> not_isolated;
    std::function<std::vector<std::string>()> launch_keys;
};

template <class Kind>
HandedNode handed(std::unique_ptr<Kind> node) {
    HandedNode one{.events = node->fd(),
                   .take_events = [&at = *node] { return at.take_events(); },
                   .alive = node->alive(),
                   .not_isolated = node->not_isolated()};
    one.node = std::move(node);
    return one;
}

// Waits for a launcher that is not there yet or has no controller key yet. Exiting and being
// restarted would work only until the service manager gives up. nullptr: a signal asked us to stop.
Result<std::unique_ptr<RemoteNode>> wait_for_launcher(const AgentOptions& options,
                                                      const StopSignal& signals, LogSink& log) {
    constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{1000};
    std::string told;
    for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        auto remote = RemoteNode::connect(options.launcher, options.node);
        if (remote.ok() || remote.error().code != ErrorCode::unavailable) return remote;
        const std::string why = remote.error().message;
        if (std::exchange(told, why) != why)
            log.write(LogLevel::warning, "agent", "waiting for the launcher: " + why);
        if (signals.wait(pause)) return std::unique_ptr<RemoteNode>();
    }
}

Result<HandedNode> open_node(const AgentOptions& options, const ClusterSpec& spec, NodeId id,
                             const std::optional<Machine>& machine, const StopSignal& signals,
                             LogSink& log) {
    if (!options.launcher.empty()) {
        BERTH_TRY(auto remote, wait_for_launcher(options, signals, log));
        if (remote == nullptr) return HandedNode{};
        const RemoteNode& there = *remote;
        HandedNode node = handed(std::move(remote));
        node.launch_keys = [&there] { return there.launch_keys(); };
        node.lost = [&there] { return there.lost() ? Status(*there.lost()) : Status(Done{}); };
        return node;
    }
    BERTH_TRY(auto local,
              LinuxNode::open(node_options(options, options.state, spec, id, machine), log));
    return handed(std::move(local));
}

Status run(const AgentOptions& options, const LinkAddress& controller, const NodeConfig& config,
           StopSignal& signals, LogSink& log) {
    BERTH_TRY(const std::unique_ptr<FileDisk> disk, FileDisk::open(options.state + "/memory"));
    const ClusterSpec& spec = config.spec;
    const NodeSpec& described = spec.node(config.node);
    NodeSpec found = described;
    if (config.machine) found = found_node(described, spec.dimensions, *config.machine);
    BERTH_TRY(HandedNode node, open_node(options, spec, config.node, config.machine, signals, log));
    if (node.node == nullptr) return Done{};  // A signal asked us to stop meanwhile.
    for (const std::string& gap : node.not_isolated) log.write(LogLevel::warning, "agent", gap);
    BERTH_TRY(AgentIdentity identity, identify(found));
    identity.joins = config.joins;
    const std::vector<MemoryWrite> memory = disk->stored();
    BERTH_CHECK(check_memory(memory));
    AgentLoop loop(Agent(std::move(identity), memory, node.alive, SystemClock().now()),
                   {.disk = *disk,
                    .node = *node.node,
                    .node_events = node.events,
                    .take_events = node.take_events,
                    .lost = node.lost,
                    .gpus = meter(options, described, spec.dimensions, log),
                    .name = options.node,
                    .runs_programs = !options.launcher.empty()},
                   log);
    log.write(LogLevel::info, "agent",
              "version " BERTH_VERSION ", node " + options.node + ", " +
                  std::to_string(node.alive.size()) + " runs adopted, controller at " +
                  options.controller);
    std::atomic<bool> told_to_stop = false;
    signals.then([&] {
        told_to_stop = true;
        loop.stop();
    });
    const NodeKeys keys(options.state);
    std::optional<Renewal> renewal;
    if (const auto* const there = std::get_if<TcpAddress>(&controller))
        renewal.emplace(keys, *there, log);
    const Status ended = loop.run({.address = options.controller,
                                   .certificates = [&keys] { return keys.read(); },
                                   .node = options.node,
                                   .version = BERTH_VERSION,
                                   .launch_keys = node.launch_keys});
    signals.rest();
    return told_to_stop && is_lost(ended) ? Status(Done{}) : ended;
}

// A launcher that was killed or upgraded comes back. The agent then continues as if it had been
// restarted itself: with what is on its disk, and what the new launcher has found.
Status run_with_each_launcher(const AgentOptions& options, const LinkAddress& controller,
                              const NodeConfig& config, StopSignal& signals, LogSink& log) {
    constexpr std::chrono::milliseconds kFirstPause{100}, kLongestPause{2000};
    constexpr std::chrono::seconds kLasts{10};
    auto pause = kFirstPause;
    for (;;) {
        const auto began = std::chrono::steady_clock::now();
        Status ended = run(options, controller, config, signals, log);
        if (!is_lost(ended) || options.launcher.empty()) return ended;
        log.write(LogLevel::warning, "agent", ended.error().message + "; connecting again");
        const bool lasted = std::chrono::steady_clock::now() - began > kLasts;
        pause = lasted ? kFirstPause : std::min(2 * pause, kLongestPause);
        if (signals.wait(pause)) return Done{};
    }
}

// Adds what a controller on another host needs: the address of its API for the jobs, and our keys.
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

// With DebugFlags=gres: logs this node's GRES.
void log_gres(const ClusterSpec& spec, NodeId id, LogSink& log) {
    if ((spec.debug_flags & bit_of(DebugFlag::gres)) == 0) return;
    const NodeSpec& node = spec.node(id);
    if (node.devices.empty()) log.write(LogLevel::info, "gres", "no devices on this node");
    for (const Device& device : node.devices) {
        const Dimension& kind = spec.dimensions.at(device.dimension);
        log.write(LogLevel::info, "gres",
                  kind.name + (kind.type.empty() ? "" : ":" + kind.type) + " index " +
                      std::to_string(device.index) +
                      (device.file.empty() ? ", simulated" : ", " + device.file));
    }
}

int serve(AgentOptions options, StopSignal& signals, LogFile& log) {
    const Result<LinkAddress> controller = parse_link_address(options.controller);
    if (!controller.ok()) return fail(log, controller.error(), kExitConfig);
    const Status folder = make_owned_folder(options.state, 0755);
    if (!folder.ok()) return fail(log, folder.error(), kExitConfig);
    const Status joined = complete(options, *controller);
    if (!joined.ok()) return fail(log, joined.error(), kExitConfig);
    const Result<NodeConfig> config = read_node_config(options, log);
    if (!config.ok()) return fail(log, config.error(), kExitConfig);
    const Result<PidFile> pid = PidFile::write(options.pid_file, "berth-agent");
    if (!pid.ok()) return fail(log, pid.error(), kExitConfig);
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    configure_log(log, config::agent_log(config->spec, options.node, host.data()), options.log_file,
                  options.verbose);
    log_gres(config->spec, config->node, log);
    const Status ended = run_with_each_launcher(options, *controller, *config, signals, log);
    if (!ended.ok()) return fail(log, ended.error(), is_lost(ended) ? kExitTry : kExitDisk);
    log.write(LogLevel::info, "agent", "stopped, as asked; jobs go on");
    return 0;
}

}  // namespace
}  // namespace berth

int main(int argc, char** argv) {
    ::umask(022);  // Only the owner may write to created files, whatever the caller's umask.
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
    berth::explain_limits("berth-agent");
    berth::StopSignal signals;
    auto log = berth::LogFile::open(
        options->log_file, options->verbose ? berth::LogLevel::debug : berth::LogLevel::info);
    if (!log.ok()) {
        std::fprintf(stderr, "berth-agent: error: %s\n", log.error().message.c_str());
        return 1;
    }
    return berth::serve(*options, signals, **log);
}
