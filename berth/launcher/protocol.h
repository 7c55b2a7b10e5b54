// The protocol of agent and launcher over their Unix socket: frames of a length and that many
// bytes. First the launcher sends its Greeting; then the agent sends actions and the launcher
// events.
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
// Room for a step's order and its attempt's, each with its signed bytes: at most four messages of
// the link.
inline constexpr std::size_t kFrameBytesMax = std::size_t{32} << 20;

struct Greeting {
    std::uint32_t protocol = kLauncherProtocol;
    std::string node;
    std::vector<RunKey> alive;              // See LinuxNode.
    std::vector<std::string> not_isolated;  // See LinuxNode.
    std::string failure;                    // Not empty: why it cannot serve.
    std::vector<std::string> keys;          // Ids of the controller keys that it trusts.
    // Number of action kinds that the launcher knows; 0: those of the first version.
    std::uint32_t actions = 0;
    BERTH_FIELDS(Greeting, protocol, node, alive, not_isolated, failure, keys, actions)
};
inline constexpr std::uint32_t kActionsOfFirstVersion = 9;
inline constexpr std::uint32_t kActionsKnown = std::variant_size_v<HostAction>;

// FaultsSeen, for operations on GPUs by the node itself.
struct FaultsTold {
    std::vector<GpuFault> faults;
    BERTH_FIELDS(FaultsTold, faults)
};

// Answers an accepted ConfigureNode: the ids of the trusted controller keys from now on.
struct KeysKnown {
    std::vector<std::string> ids;
    BERTH_FIELDS(KeysKnown, ids)
};

using LauncherEvent =
    std::variant<RunStarted, RunFailedToStart, RunExited, RunEmpty, UsageRead, NodeProgramExited,
                 FaultsTold, KeysKnown, RunFrozen, CheckpointFound>;

// nullopt: the event does not come from a node.
std::optional<LauncherEvent> launcher_event(const AgentEvent& event);
// nullopt: RemoteNode handles the event itself.
std::optional<AgentEvent> agent_event(LauncherEvent event);

std::string framed(std::string_view bytes);

// Splits a byte stream into frames.
class Frames {
public:
    void add(std::string_view bytes) { room_ += bytes; }
    // nullopt: the frame is not complete. An error: the peer violates the protocol.
    Result<std::optional<std::string>> next();

private:
    std::string room_;
    std::size_t taken_ = 0;  // Bytes of `room_` that have been consumed.
};

}  // namespace berth
