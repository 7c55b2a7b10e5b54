// The clusters and job mixes that the engine is measured on: all GPUs busy, a deep queue, twenty
// partitions that overlap, many shapes and many end times.
#pragma once

#include <string>

#include "berth/base/rng.h"
#include "berth/engine/cycle/engine.h"

namespace berth::bench {

// heavy: the mix that Slurm was measured with, gangs of up to 16 nodes in it. philly: as the
// Philly trace has it, nine jobs of ten with one GPU.
enum class Mix : std::uint8_t { heavy, philly };

// Whose the jobs are, and which limits they keep.
enum class Owners : std::uint8_t {
    one,       // One user's; no limits.
    accounts,  // Of 200 users in 20 accounts, whose limits are kept by most.
    users,     // Of 5 000 users: users_load.h.
    queues,    // Of Load::queues accounts with quotas, each of which lends what it does not use.
};

struct Load {
    std::string name;
    Mix mix = Mix::heavy;
    std::uint32_t pending = 0, nodes = 0;
    Owners owners = Owners::one;
    bool enforces_limits = true;  // Of Owners::users: false is what limits are compared with.
    std::uint32_t queues = 0;
};

// Every GPU of every node is held by something that runs, each with an end of its own.
Engine busy_engine(const Load& load, Rng& rng);

// Nobody runs anything there, in so many partitions that overlap.
Engine empty_engine(std::uint32_t nodes, std::uint32_t partitions);
// A run that holds these nodes from `first` on, with all their GPUs.
void run_on_whole(Engine& engine, std::uint32_t first, std::uint32_t nodes, Duration limit);
// A job for the queue, as admitted: so much on each node.
Job job_of(const ClusterState& state, Time now, std::uint32_t partition, std::uint32_t nodes,
           std::int64_t gpus, Duration limit);

// One more job of the mix, as admitted.
Job random_job(const Load& load, const ClusterState& state, Time now, Rng& rng);

constexpr std::uint32_t kBudget = 20'000;  // Of a cycle, as the controller's.

// Cycles until nothing is left to decide, `visit` told of each. What they end because its time is
// up goes on until end_runs().
template <class Visit>
void run_cycles(Engine& engine, Time now, Visit visit) {
    for (bool complete = false; !complete;) {
        const Cycle cycle = engine.cycle(now, kBudget);
        visit(cycle);
        complete = cycle.complete;
    }
}

// The nodes report the end of whatever has been over its time for so long, as agents do; without
// that, nobody who waits behind it could be served. Then cycles until nothing is left to decide.
void end_runs(Engine& engine, Time now, Duration late = {});

// One of those that run, at random.
JobId pick_run(const Engine& engine, Rng& rng);
// Fills the queue up to load.pending.
void fill_queue(Engine& engine, const Load& load, Time now, Rng& rng);

}  // namespace berth::bench
