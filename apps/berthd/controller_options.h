// The options of berthd.
#pragma once

#include <optional>
#include <string>

#include "berth/base/time.h"

namespace berth {

struct ControllerOptions {
    std::string state;         // A directory.
    std::string config;        // A directory.
    std::string socket;        // Of the HTTP API.
    std::string agent_socket;  // Of the agents' link.
    std::string agent_user;  // A user that may connect there besides root and our own; empty: none.
    std::string agent_node;  // The only node that this user may serve; empty: this host's.
    std::string listen;      // "HOST[:PORT]" or "config": for agents on other hosts.
    std::string api_listen;  // "HOST[:PORT]": for commands on other hosts.
    std::string cluster_name;  // Empty: as configured.
    std::string log_file, pid_file;
    std::string audit_log;  // A file, "journal" or "none"; empty: STATE/audit.log.
    std::string metrics;    // Address for Prometheus; empty: only on the API's socket.
    // How long accounting is kept after the end; nullopt: for ever.
    std::optional<Duration> keep_jobs, keep_steps;
    std::string archive;  // Directory for deleted accounting; empty: none.
    bool lenient = false, verbose = false, keep_journal = false;
    bool accept_loss = false;  // Start although the state lacks records that it should have.
};

// nullopt: nothing to run; `exit_code` is the process's exit status (--help, --version, an error).
std::optional<ControllerOptions> parse_controller_options(int argc, char** argv, int& exit_code);

}  // namespace berth
