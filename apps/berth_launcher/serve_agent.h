// Serves one agent: the node made real, before it the gate.
#pragma once

#include <optional>

#include "apps/berth_agent/options.h"
#include "berth/base/log.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// Until it goes. The exit status of the process.
int serve_agent(int socket, const LauncherOptions& options, const ClusterSpec& spec, NodeId node,
                const std::optional<Machine>& machine, LogSink& log);

}  // namespace berth
