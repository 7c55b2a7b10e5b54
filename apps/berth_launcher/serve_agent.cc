#include "apps/berth_launcher/serve_agent.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "apps/berth_agent/node_options.h"
#include "apps/berth_agent/node_programs.h"
#include "apps/berth_agent/this_machine.h"
#include "apps/berth_launcher/controller_keys.h"
#include "apps/daemon/wall_clock.h"
#include "berth/base/codec.h"
#include "berth/host/node/file_disk.h"
#include "berth/host/run/run_directory.h"
#include "berth/launcher/session.h"

namespace berth {
namespace {

HookState state_of(const std::string& run_dir, const RunKey& run) {
    const RunDirectory folder(run_dir + "/" + folder_of_attempt(run.job, run.attempt) + "/" +
                              folder_of_step(run.step));
    if (const auto end = folder.exit())
        return end->exit == ExitStatus{} ? HookState::passed : HookState::failed;
    if (folder.is_locked()) return HookState::running;
    const auto status = folder.status();
    return status && !status->failure.empty() ? HookState::failed : HookState::none;
}

LauncherSession* served = nullptr;
void stop_serving(int) {
    if (served != nullptr) served->stop();
}

Status serve(int socket, const LauncherOptions& options, LinuxNodeOptions wanted, LogSink& log) {
    const std::string run_dir = wanted.run_dir;
    // Read for each agent, so that a new file takes effect when the agent restarts.
    const ControllerKeys known(options.controller_keys, options.state + "/controller.keys");
    BERTH_TRY(const std::string pem, known.read());
    BERTH_TRY(VerifyingKeys keys, VerifyingKeys::of(pem));
    BERTH_TRY(const auto disk, FileDisk::open(options.state + "/ledger"));
    BERTH_TRY(LaunchLedger ledger, LaunchLedger::open(*disk, disk->stored()));
    BERTH_TRY(std::string boot, boot_id());
    BERTH_TRY(const auto node, LinuxNode::open(std::move(wanted), log));
    LaunchGate gate(
        {.node = options.node,
         .boot_id = std::move(boot),
         .lowest_uid = options.lowest_uid,
         .present = [&node](JobId job, Attempt attempt) { return node->has(job, attempt); },
         .hook = [&run_dir](const RunKey& run) { return state_of(run_dir, run); }},
        std::move(keys), std::move(ledger));
    NodePrograms* programs = nullptr;
    LauncherSession session(
        socket,
        {.gate = gate,
         .node = *node,
         .node_events = node->fd(),
         .take_events = [&node] { return node->take_events(); },
         .start_program = [&programs](const RunNodeProgram& program) { programs->start(program); },
         .keep_keys = [&known](const std::string& all) { return known.keep(all); },
         .now = [] { return SystemClock().now(); }},
        log);
    NodePrograms own(options.node,
                     [&session](NodeProgramExited ended) { session.push(std::move(ended)); });
    programs = &own;
    served = &session;
    for (const int number : {SIGTERM, SIGINT}) ::signal(number, stop_serving);
    log.write(LogLevel::info, "launcher",
              "an agent is here; " + std::to_string(node->alive().size()) + " runs adopted");
    Status ended = session.run({.node = options.node,
                                .alive = node->alive(),
                                .not_isolated = node->not_isolated(),
                                .keys = gate.keys().ids(),
                                .actions = kActionsKnown});
    served = nullptr;
    return ended;
}

}  // namespace

int serve_agent(int socket, const LauncherOptions& options, const ClusterSpec& spec, NodeId node,
                const std::optional<Machine>& machine, LogSink& log) {
    // Not the agent's own copy of the authority, which the agent could replace.
    const Status ended =
        serve(socket, options, node_options(options, options.config, spec, node, machine), log);
    if (ended.ok()) return 0;
    log.write(LogLevel::error, "launcher", ended.error().message);
    const std::string told =
        framed(encode(Greeting{.node = options.node, .failure = ended.error().message}));
    (void)!::send(socket, told.data(), told.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return 1;
}

}  // namespace berth
