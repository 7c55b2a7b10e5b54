// Ports: the interfaces through which the controller's loop reaches the outside. The daemon
// implements them for real; the simulated world and the tests implement them in memory.
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
    // Returns all inputs that have arrived, in order. Blocks until there is one, or until
    // `deadline`.
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
    // Returns only once the record and the accounting derived from it are durable. After an error
    // this process must stop at once and restart from what is durable; it never retries.
    virtual Status append(const Record& record, const ClusterState& after) = 0;
    // Called at the end of every turn. Writes a snapshot, if one is due, in bounded slices.
    virtual Status rest(const ClusterState& state) = 0;
    // False if there is no disk space for new work: submissions are refused, ends are still
    // recorded.
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
    // Does not block. FenceAnswered arrives through the inbox, unless this process ends before.
    virtual void call(FenceCall call) = 0;
};
class ControllerHookRunner {
public:
    virtual ~ControllerHookRunner() = default;
    // Does not block. HookAnswered arrives through the inbox, unless this process ends before.
    virtual void call(HookCall call) = 0;
};
class Notifier {
public:
    virtual ~Notifier() = default;
    // Does not block and may drop the notice: no decision depends on its delivery.
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

// The parts of one turn of the loop, in this order.
enum class TurnPart : std::uint8_t {
    waiting,
    deciding,
    recording,
    publishing,
    answering,
    resting,
};

// Counts and times the controller's work. Must not affect decisions.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void part_begins(TurnPart part) = 0;
    virtual void cycle_begins() = 0;
    virtual void cycle_ended(const CycleWork& work) = 0;
    // `record` is durable and led to the state `after`.
    virtual void recorded(const Record& record, const ClusterState& after) = 0;
};

struct World {
    Inbox& inbox;
    WallClock& clock;
    Journal& journal;
    Agents& agents;
    Clients& clients;
    Readers& readers;
    LogSink* log = nullptr;  // For administrators; null: lines are dropped.
    Observer* observer = nullptr;
    Fence* fence = nullptr;                 // Null: no configuration of this world has a fence.
    ControllerHookRunner* hooks = nullptr;  // Null: no configuration of this world has such hooks.
    Notifier* notifier = nullptr;           // Null: notices are dropped.
};

}  // namespace berth
