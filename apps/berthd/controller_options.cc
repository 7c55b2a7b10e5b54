#include "apps/berthd/controller_options.h"

#include <CLI/CLI.hpp>

#include "berth/store/retention.h"

namespace berth {
namespace {

Duration length_of(const std::string& text) {
    const Result<Duration> length = parse_retention(text);
    if (!length.ok()) throw CLI::ValidationError(length.error().message);
    return *length;
}

}  // namespace

std::optional<ControllerOptions> parse_controller_options(int argc, char** argv, int& exit_code) {
    ControllerOptions options;
    CLI::App app("berthd: the controller of a Berth cluster.");
    app.set_version_flag("--version", std::string("berthd ") + BERTH_VERSION);
    app.add_option("--state", options.state, "Directory of the journal; created if missing")
        ->required();
    app.add_option("--config", options.config, "Directory with slurm.conf or berth.yaml")
        ->required();
    app.add_option("--socket", options.socket, "Unix socket of the HTTP API (STATE/berthd.sock)");
    app.add_option("--agent-socket", options.agent_socket,
                   "Unix socket for agents (STATE/agents.sock)");
    app.add_option("--agent-user", options.agent_user,
                   "User that this host's agents run as, if neither root nor berthd's own");
    app.add_option("--agent-node", options.agent_node,
                   "Only node that --agent-user may serve (the one with this host's name as its "
                   "name or NodeHostname)");
    app.add_option("--listen", options.listen,
                   "Accept agents and commands from other hosts, by TLS 1.3 only [HOST[:PORT], or "
                   "config: SlurmctldHost and SlurmctldPort] (this host only)");
    app.add_option("--api-listen", options.api_listen,
                   "Accept commands from other hosts [HOST[:PORT]] (as --listen, port + 3)");
    app.add_option("--cluster-name", options.cluster_name, "Override the configured ClusterName");
    app.add_option("--audit-log", options.audit_log,
                   "Log each call that changes something, a line each [FILE, journal: the system's "
                   "log, or none] (STATE/audit.log)");
    app.add_option("--metrics", options.metrics,
                   "Serve metrics for Prometheus at this loopback address [like 127.0.0.1:9817]");
    app.add_option_function<std::string>(
        "--purge-job-after",
        [&options](const std::string& text) { options.keep_jobs = length_of(text); },
        "Delete the accounting of jobs this long after their end [like 12months, 30days, 36hours] "
        "(never)");
    app.add_option_function<std::string>(
        "--purge-step-after",
        [&options](const std::string& text) { options.keep_steps = length_of(text); },
        "Delete the accounting of steps this long after the end of their job (with the job)");
    app.add_option(
           "--archive-dir", options.archive,
           "Write each job to this directory, as a line of JSON, before it is deleted (none)")
        ->check(CLI::ExistingDirectory);
    app.add_option("--log-file", options.log_file, "Log to this file (standard error)");
    app.add_option("--pid-file", options.pid_file, "Write the process id to this file");
    app.add_flag("--lenient", options.lenient, "Start in spite of errors in the configuration");
    app.add_flag("--verbose", options.verbose, "Log debugging messages, too");
    app.add_flag("--keep-journal", options.keep_journal,
                 "Never cut the journal, so that the whole history can be replayed");
    app.add_flag(
        "--accept-loss", options.accept_loss,
        "Start once although the newest records of the state are missing, and lose what they held");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& end) {
        exit_code = app.exit(end);
        return std::nullopt;
    }
    if (options.socket.empty()) options.socket = options.state + "/berthd.sock";
    if (options.agent_socket.empty()) options.agent_socket = options.state + "/agents.sock";
    if (options.audit_log.empty()) options.audit_log = options.state + "/audit.log";
    return options;
}

}  // namespace berth
