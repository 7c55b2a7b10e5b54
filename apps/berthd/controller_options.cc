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
    app.add_option("--state", options.state, "Directory of its journal; made if it is not there")
        ->required();
    app.add_option("--config", options.config, "Directory with slurm.conf, berth.yaml …")
        ->required();
    app.add_option("--socket", options.socket, "Unix socket of the HTTP API (STATE/berthd.sock)");
    app.add_option("--agent-socket", options.agent_socket,
                   "Unix socket for the agents (STATE/agents.sock)");
    app.add_option("--agent-user", options.agent_user,
                   "User that agents of this host run as, where that is neither root nor ours");
    app.add_option("--agent-node", options.agent_node,
                   "The one node that this user may be (the one called as this host, or with it as "
                   "NodeHostname)");
    app.add_option("--listen", options.listen,
                   "HOST[:PORT] for agents and commands of other hosts, by TLS 1.3 alone; config: "
                   "as SlurmctldHost and SlurmctldPort say (none: this host only)");
    app.add_option("--api-listen", options.api_listen,
                   "HOST[:PORT] for the commands of other hosts (as --listen, 3 ports further on)");
    app.add_option("--cluster-name", options.cluster_name, "Instead of the configured ClusterName");
    app.add_option("--audit-log", options.audit_log,
                   "File for a line about each call that changes something (STATE/audit.log); "
                   "journal: the system's log; none");
    app.add_option("--metrics", options.metrics,
                   "Loopback address for Prometheus, like 127.0.0.1:9817");
    app.add_option_function<std::string>(
        "--purge-job-after",
        [&options](const std::string& text) { options.keep_jobs = length_of(text); },
        "Delete accounting of jobs that ended so long ago: 12months, 30days, 36hours (never)");
    app.add_option_function<std::string>(
        "--purge-step-after",
        [&options](const std::string& text) { options.keep_steps = length_of(text); },
        "Delete that of their steps (with their jobs)");
    app.add_option("--archive-dir", options.archive,
                   "Directory for a line of JSON about each job before it is deleted (none)")
        ->check(CLI::ExistingDirectory);
    app.add_option("--log-file", options.log_file, "Instead of standard error");
    app.add_option("--pid-file", options.pid_file, "Where to write the process id");
    app.add_flag("--lenient", options.lenient, "Start in spite of errors in the configuration");
    app.add_flag("--verbose", options.verbose, "Log debugging messages too");
    app.add_flag("--keep-journal", options.keep_journal,
                 "Never cut the journal, so that all of history can be replayed");
    app.add_flag("--accept-loss", options.accept_loss,
                 "Start once although records are missing at the end of the state: what they held "
                 "is lost");
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
