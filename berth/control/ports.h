// Ports: the things the controller's loop needs of the outside. The daemon has the real ones;
// the simulated world and the tests have small ones in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/log.h"
#include "berth/control/command.h"
#include "berth/engine/engine.h"
#include "berth/model/notice.h"
#include "berth/model/order.h"
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

// A node is to be switched off, so that it is certain that nothing runs on it.
struct FenceCall {
    std::string node, hostname, address, boot_id;
    std::string program;
    Duration timeout{};
};

// The site's programs around a run, one after the other until one fails. None: there is nothing to
// do, and it ends well.
struct HookCall {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::vector<std::string> programs, environment;
    Duration timeout{};  // Of each; 0: as long as it takes.
};

struct OutgoingOrder {
    Link link;
    NodeId node{0};
    Order order;  // LaunchAttempt::payload is filled in by whoever sends it, from the store.
};
struct OutgoingAnswer {
    ReplyTo reply_to;
    Answer answer;
};

// What a turn of the loop changed, for those who read: squeue, the page, metrics.
struct Changes {
    Time now{};
    std::uint64_t sequence = 0;  // Of the last durable record that this includes.
    std::vector<JobId>
        jobs;  // Changed or new, each once, in id order. Their rows are to be made again.
    std::vector<JobId> gone;  // Left the state; accounting has them.
    std::vector<NodeId> nodes;
    bool spec = false;               // The configuration changed: make everything again.
    std::vector<std::size_t> usage;  // Records of usage, by their number.
    bool reservations = false;
    // What was measured of what runs on a node. For readers alone: it is not recorded.
    std::vector<std::pair<NodeId, std::vector<StepUsage>>> samples = {};
};

class Inbox {
public:
    virtual ~Inbox() = default;
    // All that has come, in order; waits until something has, or until `deadline`.
    virtual std::vector<Input> wait_until(std::optional<Time> deadline) = 0;
};
class WallClock {
public:
    virtual ~WallClock() = default;
    virtual Time now() = 0;
};
class Journal {
public:
    virtual ~Journal() = default;
    // Returns only once the record, and the accounting that follows from it, is durable. An error
    // means that this process must stop at once and start again from what is durable; it never
    // tries again.
    virtual Status append(const Record& record, const ClusterState& after) = 0;
    // Writes a snapshot in bounded slices, if one is due; called at the end of every turn.
    virtual Status rest(const ClusterState& state) = 0;
    // False while there is no room for new work: submissions are refused, ends still recorded.
    virtual bool has_room() = 0;
};
class Agents {
public:
    virtual ~Agents() = default;
    virtual void send(OutgoingOrder order) = 0;
    virtual void close(Link link) = 0;
};
class Fence {
public:
    virtual ~Fence() = default;
    // Does not wait; FenceAnswered comes through the inbox, unless this process ends before.
    virtual void call(FenceCall call) = 0;
};
class ControllerHookRunner {
public:
    virtual ~ControllerHookRunner() = default;
    // Does not wait; HookAnswered comes through the inbox, unless this process ends before.
    virtual void call(HookCall call) = 0;
};
class Notifier {
public:
    virtual ~Notifier() = default;
    // Does not wait, and may drop it: nothing follows from what becomes of it.
    virtual void tell(Notice notice) = 0;
};
class Clients {
public:
    virtual ~Clients() = default;
    virtual void answer(OutgoingAnswer answer) = 0;
};
class Readers {
public:
    virtual ~Readers() = default;
    virtual void publish(const ClusterState& state, const Changes& changes) = 0;
};

// What a turn of the loop consists of, in this order.
enum class TurnPart : std::uint8_t {
    waiting,
    deciding,
    recording,
    publishing,
    answering,
    resting,
};

// Who counts and times the controller's work. It decides nothing.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void part_begins(TurnPart part) = 0;
    virtual void cycle_begins() = 0;
    virtual void cycle_ended(const CycleWork& work) = 0;
    // It is durable, and led to this state.
    virtual void recorded(const Record& record, const ClusterState& after) = 0;
};

struct World {
    Inbox& inbox;
    WallClock& clock;
    Journal& journal;
    Agents& agents;
    Clients& clients;
    Readers& readers;
    LogSink* log = nullptr;  // Of what administrators should know. None: nobody wants it.
    Observer* observer = nullptr;
    Fence* fence = nullptr;                 // None: no configuration of this world has one.
    ControllerHookRunner* hooks = nullptr;  // Likewise.
    Notifier* notifier = nullptr;           // None: nobody is told.
};

}  // namespace berth
