// Every protection that is switched off is noticed: a simulator that finds nothing proves nothing
// until it has found an injected fault.
//
// Two protections are redundant in the world, and each has a test of its own layer instead:
//   - epochs at the agent: a session of the earlier epoch has always ended before one of the later
//     begins, so `sessions` drops the same orders. Launch orders of an earlier epoch are refused in
//     agent/order_test.cc (Orders.AreDroppedWhenStale); and here, in the pair with `sessions`.
//   - overlap at the agent: the controller never allocates a GPU twice, so nothing is left to
//     refuse. See agent/launch_test.cc (Launch.IsRefusedWhereALiveAttemptHoldsWhatItWants).
#include <gtest/gtest.h>

#include "berth/sim/world.h"
#include "berth/testing/seeds.h"

namespace berth::sim {
namespace {

// For Mutant::shows_as. A world that never settles violates "end", which is no invariant.
constexpr const char *kAnyInvariant = "I", *kAnyViolation = "";

struct Mutant {
    const char* name;
    void (*take_out)(WorldOptions&);
    const char* shows_as;   // The invariant that is violated, or kAnyInvariant or kAnyViolation.
    std::uint64_t seeds;    // It must be noticed within this many seeds.
    const char* says = "";  // The violation has this in it.
};

// The colon tells I1 from I11.
bool is_of(const std::string& violation, const std::string& shows_as) {
    const bool is_any = shows_as == kAnyInvariant || shows_as == kAnyViolation;
    return !violation.empty() && violation.starts_with(is_any ? shows_as : shows_as + ':');
}

TEST(Violations, AreToldApartByTheirInvariant) {
    EXPECT_TRUE(is_of("I1: job 3 is given a GPU", "I1"));
    EXPECT_FALSE(is_of("I11: job 3 is given a GPU", "I1"));
    EXPECT_TRUE(is_of("I11: job 3 is given a GPU", kAnyInvariant));
    EXPECT_FALSE(is_of("end: job 3 never came to an end", kAnyInvariant));
    EXPECT_TRUE(is_of("end: job 3 never came to an end", kAnyViolation));
    EXPECT_FALSE(is_of("", kAnyViolation));
}

class Mutants : public ::testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreNoticed) {
    // What is slow, as under a sanitizer, tries what is right and not what is wrong.
    if (testing::scaled(100) < 100) GTEST_SKIP() << "SKIPPED: a mutant needs all of its seeds";
    const Mutant& mutant = GetParam();
    WorldOptions options;
    mutant.take_out(options);
    for (std::uint64_t seed = 1; seed <= mutant.seeds; ++seed) {
        const WorldReport report = run_world(seed, options);
        if (!is_of(report.violation, mutant.shows_as)) continue;
        if (report.violation.find(mutant.says) == std::string::npos) continue;
        RecordProperty("seed", std::to_string(seed));
        RecordProperty("violation", report.violation);
        return;
    }
    FAIL() << mutant.name << ": not noticed in " << mutant.seeds << " worlds";
}

// Ten times the seeds that are needed today, so that changes of the worlds do not break the tests.
const Mutant kMutants[] = {
    {"AttemptCheckAtTheAgent", [](WorldOptions& o) { o.agent.attempts = false; }, "I5", 40},
    {"AttemptCheckAtTheController", [](WorldOptions& o) { o.control.attempts = false; },
     kAnyViolation, 400},
    {"Tombstones", [](WorldOptions& o) { o.agent.tombstones = false; }, "I5", 40},
    {"BootIdAtTheAgent", [](WorldOptions& o) { o.agent.boot_ids = false; }, "I5", 200},
    {"BootIdAtTheController", [](WorldOptions& o) { o.control.boot_ids = false; }, kAnyViolation,
     400},
    {"OutputCommit", [](WorldOptions& o) { o.control.output_commit = false; }, kAnyInvariant, 40},
    {"OutputCommitOfOrders", [](WorldOptions& o) { o.control.output_commit = false; }, "I5", 400},
    {"CompletionSpool", [](WorldOptions& o) { o.agent.spool = false; }, kAnyViolation, 100},
    {"AtomicInventory", [](WorldOptions& o) { o.control.atomic_inventory = false; }, "I5", 100},
    {"RequestId", [](WorldOptions& o) { o.control.request_ids = false; }, "I3", 40},
    {"Sessions", [](WorldOptions& o) { o.agent.sessions = false; }, "I5", 300},
    {"EpochWithoutSessions", [](WorldOptions& o) { o.agent.sessions = o.agent.epochs = false; },
     "I12", 100},
    {"CgroupEmptyBeforeTheReport", [](WorldOptions& o) { o.agent.wait_for_empty = false; }, "I11",
     20},
    {"CgroupEmptyBeforeFree", [](WorldOptions& o) { o.control.wait_for_clean = false; }, "I11", 20},
    {"AFenceThatLies", [](WorldOptions& o) { o.fence = o.fence_lies = true; }, kAnyInvariant, 20},
    {"GangAtomicity", [](WorldOptions& o) { o.control.gangs = false; }, "I6", 20},
    // Where another invariant would be violated first, that one is ignored.
    {"AGpuIsTakenBeforeItIsLeft",
     [](WorldOptions& o) {
         o.control.wait_for_clean = o.agent.overlap = false;
         o.look_past = {"I11"};
     },
     "I1", 40},
    {"CapacityIsExceeded",
     [](WorldOptions& o) {
         o.control.wait_for_clean = o.agent.overlap = false;
         o.look_past = {"I11", "I1"};
     },
     "I2", 40, "beyond its capacity"},
    {"APartOfAGpuIsTakenBeforeItIsLeft",
     [](WorldOptions& o) {
         o.control.wait_for_clean = o.agent.overlap = false;
         o.look_past = {"I11", "I1"};
     },
     "I2", 200, "runs on more of a GPU"},
    {"MoreOfAGpuIsGivenThanThereIs",
     [](WorldOptions& o) {
         o.bugs.piles_up_parts = true;
         o.look_past = {"I1"};
     },
     "I2", 100, "is given more of a GPU"},
    {"LicensesAreForgotten",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::forgets_planned_starts;
         o.look_past = {"I7"};
     },
     "I2", 40, "licenses"},
    {"AnAttemptRunsBesideTheLast",
     [](WorldOptions& o) {
         o.agent.attempts = false;
         o.look_past = {"I5"};
     },
     "I4", 100},
    {"DependenciesAndBeginTimes",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::ignores_blocking_reasons;
         o.look_past = {"I8"};
     },
     "I7", 20},
    {"Reservations",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::forgets_planned_starts;
         o.look_past = {"I2"};
     },
     "I7", 100},
    {"Limits",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::ignores_blocking_reasons;
         o.look_past = {"I7"};
     },
     "I8", 40},
    {"LimitsOfAQos",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::ignores_blocking_reasons;
         o.look_past = {"I7"};
     },
     "I8", 200, " of QOS "},
    {"LimitsOfAUserInAQos",
     [](WorldOptions& o) {
         o.bugs.engine = InjectedFault::ignores_blocking_reasons;
         o.look_past = {"I7"};
     },
     "I8", 200, "in QOS "},
    {"QuotasOfQueues",
     [](WorldOptions& o) {
         o.sharing = WorldOptions::Sharing::of_quotas;
         o.bugs.engine = InjectedFault::ignores_blocking_reasons;
         o.look_past = {"I7"};
     },
     "I8", 200, "and queue "},
    {"CheckpointsAreNotWaitedFor",
     [](WorldOptions& o) {
         o.preempts = true;
         o.preempt_mode = PreemptMode::checkpoint;
         o.control.checkpoints = false;
     },
     "I14", 40, "has not"},
    {"ReclaimOfWhatIsNotLent",
     [](WorldOptions& o) {
         o.sharing = WorldOptions::Sharing::of_quotas;
         o.bugs.engine = InjectedFault::takes_from_anyone;
     },
     "I14", 20, "by right"},
    {"ATurnBeginsBeforeTheOthersStandStill",
     [](WorldOptions& o) {
         o.sharing = WorldOptions::Sharing::of_cores;
         o.control.wait_for_rest = false;
     },
     "I1", 20},
    {"ADecisionIsNotWritten", [](WorldOptions& o) { o.bugs.forgets_to_write = true; }, "I13", 20},
};

INSTANTIATE_TEST_SUITE_P(Each, Mutants, ::testing::ValuesIn(kMutants),
                         [](const auto& mutant) { return std::string(mutant.param.name); });

// The other half of the pair: with epochs on, no order of an earlier epoch is obeyed, even with
// sessions off.
TEST(Layers, EpochsHoldWhereSessionsDoNot) {
    WorldOptions options;
    options.agent.sessions = false;
    for (std::uint64_t seed = 1; seed <= testing::scaled(60U); ++seed) {
        const WorldReport report = run_world(seed, options);
        EXPECT_FALSE(is_of(report.violation, "I12")) << report.violation;
    }
}

// A fact that would allocate a GPU twice is refused by the state.
TEST(Layers, TheStateRefusesAGpuThatIsGivenTwice) {
    WorldOptions options;
    options.bugs = {.engine = InjectedFault::gives_twice, .checks_itself = false};
    const auto run = [&] {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) run_world(seed, options);
    };
    EXPECT_DEATH(run(), "whole_devices.. & ~free.devices");
}

TEST(Layers, TheStateRefusesMoreOfAGpuThanThereIs) {
    WorldOptions options;
    options.bugs = {.engine = InjectedFault::piles_up_parts, .checks_itself = false};
    const auto run = [&] {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) run_world(seed, options);
    };
    EXPECT_DEATH(run(), "has_room_for");
}

}  // namespace
}  // namespace berth::sim
