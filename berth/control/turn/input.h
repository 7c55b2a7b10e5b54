// Input: what a turn of the controller takes in: commands of clients, reports of agents, and
// results of the site's programs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "berth/control/turn/command.h"
#include "berth/model/principal.h"
#include "berth/model/report.h"

namespace berth {

// Identifies the request that an answer belongs to. Issued by the server, which alone knows its
// meaning.
struct ReplyTo {
    std::uint64_t ticket = 0;
    friend bool operator==(const ReplyTo&, const ReplyTo&) = default;
};

// One connection of an agent. A controller never uses a number twice. Whatever arrives over a link
// was sent by the process at its other end, after the link came up.
struct Link {
    std::uint64_t number = 0;
    friend auto operator<=>(const Link&, const Link&) = default;
};

struct ClientInput {
    ReplyTo reply_to;
    Principal principal;
    Command command;
};
// A report over a link whose peer is authenticated as this node's agent.
struct AgentInput {
    Link link;
    std::string node;
    Report report;
};
struct LinkLost {
    Link link;
};
// The result of the site's fence program. `failure` is empty if the program confirms that nothing
// of that boot of the node still runs; Berth trusts it.
struct FenceAnswered {
    std::string node, boot_id;
    std::string failure;
};
// The result of a run's PrologSlurmctld or EpilogSlurmctld. `failure` is empty if it succeeded.
struct HookAnswered {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::string failure;
};
using Input = std::variant<ClientInput, AgentInput, LinkLost, FenceAnswered, HookAnswered>;

}  // namespace berth
