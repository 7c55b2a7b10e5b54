// `scontrol ping`: whether the controller answers.
#pragma once

#include <optional>

#include "berth/client/client.h"
#include "berth/slurm/json/slurm_json.h"
#include "berth/slurm/text/invocation.h"

namespace berth::slurm {

// In words, or as JSON or YAML. The exit code: 1 if nothing answers.
int ping_controller(Client& client, const Invocation& call, std::optional<Notation> notation,
                    Streams& streams);

}  // namespace berth::slurm
