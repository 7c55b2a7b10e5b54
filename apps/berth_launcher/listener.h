// The launcher's outer process: it lets agents in, one at a time, each served by a child of its
// own. So a new agent finds the node as after a start of everything, which is the one case there
// is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "berth/base/log.h"
#include "berth/base/result.h"

namespace berth {

struct ListenerSettings {
    std::string path;
    std::optional<std::uint32_t> agent_uid;  // Who may come besides root and we.
};

// Until SIGTERM, which `serve` gets too. That is called in the child, whose exit status it gives.
Status listen_for_agents(const ListenerSettings& settings, LogSink& log,
                         const std::function<int(int socket)>& serve);

// Whether `path` and all folders above it are root's, or ours, and nobody else may change them.
Status only_ours(const std::string& path);

}  // namespace berth
