// Input: what one turn of the controller takes in: commands of clients, reports of agents, and the
// answers of the site's programs.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "berth/control/turn/command.h"
#include "berth/model/principal.h"
#include "berth/model/report.h"

namespace berth {

// Where an answer goes. The server gives one out for each request and keeps what it means to
// itself.
struct ReplyTo {
    std::uint64_t ticket = 0;
    friend bool operator==(const ReplyTo&, const ReplyTo&) = default;
};

// One connection of an agent. Numbers are never used twice within one controller's life. What comes
// over a link was sent by the process at its other end since the link came up.
struct Link {
    std::uint64_t number = 0;
    friend auto operator<=>(const Link&, const Link&) = default;
};

struct ClientInput {
    ReplyTo reply_to;
    Principal principal;
    Command command;
};
struct AgentInput {  // A report that came over a link, whose peer is proven to be this node's
                     // agent.
    Link link;
    std::string node;
    Report report;
};
struct LinkLost {
    Link link;
};
// How the site's fence fared. `failure` is empty where it says that nothing of that boot of the
// node runs any more; it is believed.
struct FenceAnswered {
    std::string node, boot_id;
    std::string failure;
};
// How PrologSlurmctld or EpilogSlurmctld of a run fared; `failure` is empty where it ended well.
struct HookAnswered {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::string failure;
};
using Input = std::variant<ClientInput, AgentInput, LinkLost, FenceAnswered, HookAnswered>;

}  // namespace berth
