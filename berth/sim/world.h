// World: one seed is one cluster with its users and faults, run by the real control::Loop and the
// real Agents in virtual time. The oracle stops it at the first broken invariant.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "berth/agent/agent.h"
#include "berth/control/core/controller.h"
#include "berth/control/core/cycle_pace.h"
#include "berth/sim/controller_bugs.h"
#include "berth/sim/faults.h"
#include "berth/sim/unprotected.h"

namespace berth::sim {

struct WorldOptions {
    std::size_t jobs = 60;
    Duration busy = std::chrono::hours(2);  // Then the faults end, and everything must settle.
    ControlProtections control;             // Taken away to prove that the oracle notices.
    AgentProtections agent;
    AgentLimits limits;
    std::optional<FaultMix> mix;  // nullopt: the seed's own.
    std::optional<bool> fence;    // Whether the site has a fence; nullopt: in every third world.
    bool preempts = false;        // Jobs of several tiers preempt each other.
    // How most of what they preempt is stopped: ended, suspended, or given time for a checkpoint.
    PreemptMode preempt_mode = PreemptMode::requeue;
    // Queues lend each other GPUs, and take them back; or jobs share cores, and take turns on them.
    enum class Sharing : std::uint8_t { none, of_quotas, of_cores } sharing = Sharing::none;
    bool fence_lies = false;  // It reports nodes as dead and does nothing.
    ControllerBugs bugs;
    std::uint32_t cycle_budget = kCycleBudget;  // Placement attempts in one cycle.
    bool keep_journal = false;
    // Invariants whose violation does not end the run. So a test can see whether the next check
    // notices as well.
    std::set<std::string> look_past;
};

struct WorldReport {
    std::uint64_t seed = 0;
    // Empty: none. Otherwise: the invariant, what happened, the seed and the virtual time.
    std::string violation;
    std::vector<std::string> trace;  // Events before the violation.
    FaultTally faults{};
    std::uint64_t nodes = 0, submissions = 0, jobs = 0, scripts = 0, steps = 0, records = 0,
                  snapshots = 0, events = 0;
    struct Runs {
        std::uint64_t all = 0;
        std::uint64_t lost = 0;      // On some node.
        std::uint64_t on_parts = 0;  // Runs on a part of a GPU.
    };
    Runs runs;
    struct Preemptions {
        std::uint64_t ended = 0;  // Runs that were ended for another job.
        std::uint64_t loans = 0;  // Starts on cores that suspended runs lent, or others share.
        std::uint64_t turns = 0;  // Turns that runs on shared cores have had.
        std::uint64_t saved = 0;  // Runs that saved a checkpoint before they ended.
    };
    Preemptions preemptions;
    // Over all nodes; most_tombstones: the most that one node kept at a time.
    std::uint64_t links = 0, registrations = 0, most_tombstones = 0;
    Duration length{};  // In virtual time.
    // Of all durable decisions: see decision_hash.h.
    std::uint64_t decision_hash = 0, decisions = 0;
    std::string decision_trail;
    std::vector<std::string> decision_lines;
    std::vector<Record> journal;  // All durable records, with keep_journal.

    std::uint64_t fault_count() const;
};

WorldReport run_world(std::uint64_t seed, const WorldOptions& options = {});

// Sums over many seeds, and the first violation.
struct WorldSums {
    std::uint64_t worlds = 0, submissions = 0, jobs = 0, runs = 0, scripts = 0, steps = 0,
                  lost_runs = 0, runs_on_parts = 0, records = 0, snapshots = 0, events = 0;
    FaultTally faults{};
    Duration length{};
    std::vector<WorldReport> violated;

    void add(const WorldReport& report);
    std::uint64_t fault_count() const;
    std::string to_text() const;  // The counts, one per line.
};

}  // namespace berth::sim
