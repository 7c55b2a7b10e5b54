// The launcher's outer process: accepts agents one at a time and serves each in a child process of
// its own. So every new agent finds the node as after a full start, which is the only case to
// handle.
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
    std::optional<std::uint32_t> agent_uid;  // A user that may connect, besides root and our own.
};

// Runs until SIGTERM, which is passed on to the child. `serve` is called in the child; its result
// is the child's exit status.
Status listen_for_agents(const ListenerSettings& settings, LogSink& log,
                         const std::function<int(int socket)>& serve);

// Whether `path` and all folders above it belong to root or to us, and nobody else can change them.
Status only_ours(const std::string& path);

}  // namespace berth
