// scontrol update: its KEY=VALUE words as one change to jobs or nodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "berth/api/messages.h"
#include "berth/base/result.h"

namespace berth::slurm {

struct Update {
    std::vector<std::string> names;  // Jobs or nodes.
    api::JobPatch job;
    Duration time_limit_by{};            // TimeLimit=+10 or -10: not 0.
    std::optional<api::NodePatch> node;  // Present: it is nodes that change.
};

Result<Update> parse_update(const std::vector<std::string>& words, Time now);

}  // namespace berth::slurm
