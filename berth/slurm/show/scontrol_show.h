// scontrol show: jobs, nodes, partitions, steps and the configuration, field for field as Slurm
// prints them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/client/client.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct ShowOptions {
    bool detail = false;    // -d
    bool one_line = false;  // -o
    bool all = false;       // -a
    bool advises = false;   // Advice is on.
    Time now{};             // For run times; the caller's clock.
};

// Each prints what is there (all of it if no name is given) and returns scontrol's exit code.
int show_jobs(Client& client, const ShowOptions& options, const std::string& id, Streams& streams);
int show_steps(Client& client, const ShowOptions& options, const std::string& id, Streams& streams);
int show_nodes(Client& client, const ShowOptions& options, const std::string& names,
               Streams& streams);
int show_partitions(Client& client, const ShowOptions& options, const std::string& name,
                    Streams& streams);
int show_reservations(Client& client, const ShowOptions& options, const std::string& name,
                      Streams& streams);
int show_licenses(Client& client, const ShowOptions& options, const std::string& name,
                  Streams& streams);
int show_topology(Client& client, const std::string& name, Streams& streams);
int show_assoc_mgr(Client& client, const std::vector<std::string>& words, Streams& streams);
int show_config(Client& client, const ShowOptions& options, Streams& streams);

// `sinfo -T`: one line each.
int print_reservations(Client& client, bool header, Streams& streams);

}  // namespace berth::slurm
