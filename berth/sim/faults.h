// Faults: every kind of fault that the simulated world can cause, how often each occurs in the
// world of a seed, and how many occurred.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "berth/base/rng.h"
#include "berth/base/time.h"

namespace berth::sim {

enum class Fault : std::uint8_t {
    message_lost,
    message_repeated,
    message_late,
    link_cut,
    one_way_partition,
    full_partition,
    partition_storm,  // Many links break one by one and return in another order.
    controller_crash,
    crash_in_commit,  // Between append and commit.
    tail_lost,        // The appended record is lost.
    tail_kept,        // The appended record is durable, though nobody was told.
    slow_commit,
    agent_crash,
    agent_crash_in_turn,  // Between its disk and its actions, or between those and its reports.
    reboot,
    reboot_without_disk,
    fall_at_end,  // The agent is cut off and restarted just after a script has ended.
    old_order,
    old_report,
    clock_forward,
    clock_back,
    answer_lost,
    request_repeated,
    term_ignored,
    leftovers,
    out_of_memory,
    early_exit,
    launch_failed,
    unkillable,
    fenced,
    fence_failed,
    gpu_fault,
    hook_failed,
    launcher_death,  // Whatever it was starting may or may not have begun.
    shepherd_death,  // Without a report: the run's processes end and leave no exit record.
};
inline constexpr std::size_t kFaultKinds = static_cast<std::size_t>(Fault::shepherd_death) + 1;
std::string_view name(Fault fault);

using FaultTally = std::array<std::uint64_t, kFaultKinds>;

// Rates. Those of messages, commits and turns are in parts per 10 000 of each occasion; others are
// events in 1000 hours of the whole world.
struct FaultMix {
    std::int64_t lost = 0, repeated = 0, late = 0;  // Of messages.
    std::int64_t slow_commit = 0, crash_in_commit = 0, answer_lost = 0;
    std::int64_t agent_crash_in_turn = 0, fall_at_end = 0;
    std::int64_t old_orders_after_reboot = 0, old_order = 0, old_report = 0;
    std::int64_t cuts = 0, partitions = 0, storms = 0, controller_crashes = 0, agent_crashes = 0,
                 reboots = 0, clock_jumps = 0;
    std::int64_t without_disk = 0;  // Percent of reboots.
    std::int64_t bad_jobs = 0;      // Percent of jobs that misbehave.
    std::int64_t launcher_deaths = 0, shepherd_deaths = 0;
    bool operator==(const FaultMix&) const = default;
};

// The mix of one world: some worlds are quiet, some have one kind of fault, some have all.
FaultMix random_mix(Rng& rng);

}  // namespace berth::sim
