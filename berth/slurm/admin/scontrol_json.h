// `scontrol --json show` and --yaml.
#pragma once

#include <string>

#include "berth/client/client.h"
#include "berth/slurm/json/slurm_json.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

struct JsonShow {
    Client& client;
    const Invocation& call;
    Notation notation;
    Time now;
    Streams& streams;
};

// All jobs, nodes, partitions, reservations or licenses, or those of one name. The exit code: 1 if
// there is none of that name, or `what` has no JSON.
int show_as_json(const JsonShow& show, const std::string& what, const std::string& id);

}  // namespace berth::slurm
