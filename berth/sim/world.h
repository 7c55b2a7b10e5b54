// The simulated world: one seed is one cluster, its users and its misfortunes, run by the real
// control::Loop and the real Agents in virtual time. The oracle stops it at the first invariant
// that is broken.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "berth/agent/agent.h"
#include "berth/control/core/controller.h"
#include "berth/control/core/cycle_pace.h"
#include "berth/sim/controller_bugs.h"
#include "berth/sim/faults.h"

namespace berth::sim {

struct WorldOptions {
    std::size_t jobs = 60;
    Duration busy = std::chrono::hours(2);  // Then the faults end, and everything must settle.
    ControlProtections control;             // Taken out to see that the oracle notices.
    AgentProtections agent;
    AgentLimits limits;
    std::optional<FaultMix> mix;  // nullopt: the seed's own.
    std::optional<bool> fence;    // Whether the site has one; nullopt: in every third world.
    bool fence_lies = false;      // It says that nodes are dead, and does nothing.
    ControllerBugs bugs;
    std::uint32_t cycle_budget = kCycleBudget;  // Placement attempts of one cycle.
    bool keep_journal = false;
    // Violations that do not end the run: so it is seen whether the layer behind notices as well.
    std::set<std::string> look_past;
};

struct WorldReport {
    std::uint64_t seed = 0;
    std::string violation;           // Empty: none. Else which, what, seed and virtual time …
    std::vector<std::string> trace;  // … and what came before it.
    FaultTally faults{};
    std::uint64_t nodes = 0, submissions = 0, jobs = 0, runs = 0, scripts = 0, steps = 0,
                  lost_runs = 0, records = 0, snapshots = 0, events = 0;
    // Over all nodes; and the most that one of them ever kept.
    std::uint64_t links = 0, registrations = 0, most_tombstones = 0;
    Duration length{};  // In virtual time.
    // Of all durable decisions: see decision_hash.h.
    std::uint64_t decision_hash = 0, decisions = 0;
    std::string decision_trail;
    std::vector<std::string> decision_lines;
    std::vector<Record> journal;  // All durable records, if they were to be kept.

    std::uint64_t fault_count() const;
};

WorldReport run_world(std::uint64_t seed, const WorldOptions& options = {});

// Many seeds together: sums, and the first violation.
struct WorldSums {
    std::uint64_t worlds = 0, submissions = 0, jobs = 0, runs = 0, scripts = 0, steps = 0,
                  lost_runs = 0, records = 0, snapshots = 0, events = 0;
    FaultTally faults{};
    Duration length{};
    std::vector<WorldReport> violated;

    void add(const WorldReport& report);
    std::uint64_t fault_count() const;
    std::string to_text() const;  // The counts, one to a line.
};

}  // namespace berth::sim
