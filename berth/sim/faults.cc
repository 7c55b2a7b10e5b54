#include "berth/sim/faults.h"

namespace berth::sim {

std::string_view name(Fault fault) {
    switch (fault) {
        case Fault::message_lost: return "message lost";
        case Fault::message_repeated: return "message repeated";
        case Fault::message_late: return "message late (up to 10 min)";
        case Fault::link_cut: return "link cut";
        case Fault::one_way_partition: return "one-way partition";
        case Fault::full_partition: return "full partition";
        case Fault::partition_storm: return "partition storm";
        case Fault::controller_crash: return "controller crash";
        case Fault::crash_in_commit: return "controller crash between append and commit";
        case Fault::tail_lost: return "unsynced tail lost";
        case Fault::tail_kept: return "unsynced tail kept";
        case Fault::slow_commit: return "slow commit";
        case Fault::agent_crash: return "agent crash";
        case Fault::agent_crash_in_turn: return "agent crash within a turn";
        case Fault::reboot: return "node reboot";
        case Fault::reboot_without_disk: return "node reboot with its disk wiped";
        case Fault::fall_at_end: return "node cut off and rebooted as a script ends";
        case Fault::old_order: return "old order replayed";
        case Fault::old_report: return "old report replayed";
        case Fault::clock_forward: return "clock jump forward";
        case Fault::clock_back: return "clock jump back";
        case Fault::answer_lost: return "answer to a client lost";
        case Fault::request_repeated: return "request sent again";
        case Fault::term_ignored: return "job ignores TERM";
        case Fault::leftovers: return "job leaves processes behind";
        case Fault::out_of_memory: return "job out of memory";
        case Fault::early_exit: return "job exits at once";
        case Fault::launch_failed: return "launch fails";
        case Fault::unkillable: return "job survives KILL for minutes";
        case Fault::fenced: return "silent node switched off by its fence";
        case Fault::fence_failed: return "fence fails";
        case Fault::hook_failed: return "PrologSlurmctld or EpilogSlurmctld fails";
        case Fault::launcher_death: return "launcher dies";
        case Fault::shepherd_death: return "shepherd dies without word";
        case Fault::gpu_fault: return "GPU fails, of all kinds";
    }
    return "?";
}

FaultMix random_mix(Rng& rng) {
    FaultMix mix;
    mix.bad_jobs = rng.between(0, 40);
    if (rng.chance(10)) return mix;  // A quiet world without faults.
    const auto rate = [&](std::int64_t most) {
        return rng.chance(70) ? rng.between(1, most) : std::int64_t{0};
    };
    mix.lost = rate(40);
    mix.repeated = rate(200);
    mix.late = rate(60);
    mix.slow_commit = rate(300);
    mix.crash_in_commit = rate(150);
    mix.answer_lost = rate(1500);
    mix.agent_crash_in_turn = rate(150);
    mix.fall_at_end = rate(400);
    mix.old_orders_after_reboot = rng.between(3000, 10'000);
    mix.old_order = rate(300);
    mix.old_report = rate(300);
    mix.cuts = rate(12'000);
    mix.partitions = rate(3000);
    mix.storms = rate(1500);
    mix.controller_crashes = rate(2500);
    mix.agent_crashes = rate(4000);
    mix.reboots = rate(5000);
    mix.clock_jumps = rate(5000);
    mix.without_disk = rng.between(0, 60);
    mix.launcher_deaths = rate(4000);
    mix.shepherd_deaths = rate(4000);
    return mix;
}

}  // namespace berth::sim
