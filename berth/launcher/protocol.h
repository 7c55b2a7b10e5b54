// What agent and launcher say to each other over their Unix socket: frames of a length and that
// many bytes. The launcher greets first; then come the agent's actions, and the node's events.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/fields.h"

namespace berth {

inline constexpr std::uint32_t kLauncherProtocol = 1;
// A step's order with its attempt's, each with the bytes that are signed: four times a message of
// the link at most.
inline constexpr std::size_t kFrameBytesMax = std::size_t{32} << 20;

struct Greeting {
    std::uint32_t protocol = kLauncherProtocol;
    std::string node;
    std::vector<RunKey> alive;              // See LinuxNode.
    std::vector<std::string> not_isolated;  // Likewise.
    std::string failure;                    // Not empty: it cannot serve, and says why.
    std::vector<std::string> keys;          // Ids of those by which it knows the controller.
    // How many kinds of actions it knows, of those that agents know; 0: those of the first version.
    std::uint32_t actions = 0;
    BERTH_FIELDS(Greeting, protocol, node, alive, not_isolated, failure, keys, actions)
};
inline constexpr std::uint32_t kActionsOfFirstVersion = 9;
inline constexpr std::uint32_t kActionsKnown = std::variant_size_v<HostAction>;

// FaultsSeen, of what the node itself does on GPUs.
struct FaultsTold {
    std::vector<GpuFault> faults;
    BERTH_FIELDS(FaultsTold, faults)
};

// A ConfigureNode is in force: by these keys it knows the controller now.
struct KeysKnown {
    std::vector<std::string> ids;
    BERTH_FIELDS(KeysKnown, ids)
};

using LauncherEvent = std::variant<RunStarted, RunFailedToStart, RunExited, RunEmpty, UsageRead,
                                   NodeProgramExited, FaultsTold, KeysKnown>;

// nullopt: the event is none of a node's.
std::optional<LauncherEvent> launcher_event(const AgentEvent& event);
// nullopt: it is RemoteNode's own affair.
std::optional<AgentEvent> agent_event(LauncherEvent event);

std::string framed(std::string_view bytes);

// Takes what a socket gives apart again.
class Frames {
public:
    void add(std::string_view bytes) { room_ += bytes; }
    // nullopt: more is to come. An error: whoever is there does not keep to the protocol.
    Result<std::optional<std::string>> next();

private:
    std::string room_;
    std::size_t taken_ = 0;  // Of `room_`.
};

}  // namespace berth
