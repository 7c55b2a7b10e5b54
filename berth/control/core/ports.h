// Ports: the things the controller's loop needs of the outside. The daemon has the real ones;
// the simulated world and the tests have small ones in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "berth/base/log.h"
#include "berth/control/turn/input.h"
#include "berth/control/turn/turn.h"
#include "berth/engine/cycle/engine.h"

namespace berth {

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
