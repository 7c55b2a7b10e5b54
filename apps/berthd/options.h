// The options of berthd.
#pragma once

#include <optional>
#include <string>

#include "berth/base/time.h"

namespace berth {

struct ControllerOptions {
    std::string state;         // Directory.
    std::string config;        // Directory.
    std::string socket;        // Of the HTTP API.
    std::string agent_socket;  // Of the agents' link.
    std::string agent_user;    // Who may come there besides root and we; empty: nobody.
    std::string agent_node;    // The node that he may be; empty: the one of this host.
    std::string listen;        // "HOST[:PORT]" or "config", for agents of other hosts.
    std::string api_listen;    // "HOST[:PORT]", for their commands.
    std::string cluster_name;  // Empty: as configured.
    std::string log_file, pid_file;
    std::string audit_log;  // A file, "journal" or "none"; empty: STATE/audit.log.
    std::string metrics;    // Address for Prometheus; empty: the API's socket alone.
    std::optional<Duration> keep_jobs, keep_steps;  // Accounting, since the end; nullopt: for ever.
    std::string archive;                            // Directory for what is deleted; empty: none.
    bool lenient = false, verbose = false, keep_journal = false;
    bool accept_loss = false;  // Of records that the state should have.
};

// nullopt: nothing to run; `exit_code` says how it ends (--help, --version, a mistake).
std::optional<ControllerOptions> parse_controller_options(int argc, char** argv, int& exit_code);

}  // namespace berth
