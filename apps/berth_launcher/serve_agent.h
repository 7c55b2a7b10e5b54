// Serves one agent: a LinuxNode behind a LaunchGate.
#pragma once

#include <optional>

#include "apps/berth_agent/agent_options.h"
#include "berth/base/log.h"
#include "berth/host/hardware/machine.h"
#include "berth/model/cluster_spec.h"

namespace berth {

// Runs until the agent goes. Returns the exit status of the process.
int serve_agent(int socket, const LauncherOptions& options, const ClusterSpec& spec, NodeId node,
                const std::optional<Machine>& machine, LogSink& log);

}  // namespace berth
