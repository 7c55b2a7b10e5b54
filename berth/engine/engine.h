// Engine: the scheduler without the world around it. Facts go in, decisions come out.
//
// It does no input or output, reads no clock, starts no thread and draws no random number. So the
// daemon, the simulator and the tests run this same code, and a journal replays to the same state.
// One thread owns it.
#pragma once

#include <memory>

#include "berth/engine/cluster_state.h"
#include "berth/engine/fair_shares.h"
#include "berth/policy/policy.h"

namespace berth {

// What a cycle did, for those who watch over it.
struct CycleWork {
    bool ran = false;         // False: nothing had happened, or it is not time yet.
    std::uint32_t queue = 0;  // Jobs that no gate held back, as it began.
    std::uint32_t depth = 0;  // Looks at a job.
    std::uint32_t tries = 0;  // Searches for a place.
    std::uint32_t starts = 0;
    std::uint32_t passed = 0;   // Starts before a job that comes earlier in the order.
    std::uint32_t planned = 0;  // Jobs that have a planned start, as it ended.
    enum class End : std::uint8_t { of_queue, most_starts, out_of_budget } end = End::of_queue;
};

struct Cycle {
    std::vector<Fact> decisions;  // Already applied, in this order.
    bool complete =
        true;  // False: the budget ran out; call again with the same `now` or a later one.
    std::optional<Time>
        wake_at;  // When something is due though nothing happens: a limit, a begin, a plan.
    CycleWork work = {};
};

// A bug put into the planner on purpose, to see it caught. Of tests alone.
enum class PlantedBug : std::uint8_t {
    none,
    forgets_promises,  // Starts whatever fits beside what runs, on what others are promised.
    books_too_short,   // Promises half the time.
    overlooks_a_hole,  // Takes the second start that it finds.
    breaks_promises,   // Plans a job again, and later.
    tears_cliques,     // Takes the outermost devices.
    opens_gates,       // Begin times, dependencies and limits do not keep anyone waiting.
    gives_twice,       // Takes the first devices of a node, free or not.
};

struct Outlook;  // What is derived from the state: outlook.h.

class Engine {
public:
    Engine();
    explicit Engine(ClusterState state);
    Engine(Engine&&) noexcept;
    Engine& operator=(Engine&&) noexcept;
    ~Engine();

    // The only way that the state changes. The same for events, and for decisions replayed from a
    // journal.
    void apply(Time now, const Fact& fact);

    // What a node's GPUs were just seen doing. No part of the state: decisions made with it are
    // recorded, it is not.
    void note_readings(NodeId node, NodeReadings readings);

    // One cycle: admit → order → place → plan → explain. `budget` bounds the placement attempts.
    Cycle cycle(Time now, std::uint32_t budget);

    const ClusterState& state() const { return state_; }
    ClusterState& mutable_state() {
        return state_;
    }  // For checkpoint, rollback and take_changes only.

    // How often the cycles of one moment look for an earlier start for those that have a promise,
    // beyond whoever could start at once; 0: until nobody could move any more. For simulations.
    void limit_moves(std::uint32_t most);

    // Undoes what was decided since `before`. All that is derived from the state is made again, but
    // fair shares, which rest for a period of priorities: they are set back to these.
    void undo(ClusterState::Mark before, FairShares shares);

    void plant(PlantedBug bug);

    // For explanations, tests and measurements.
    const Outlook& outlook() const { return *outlook_; }

private:
    ClusterState state_;
    std::unique_ptr<Outlook> outlook_;
};

}  // namespace berth
