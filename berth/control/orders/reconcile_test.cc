#include "berth/control/orders/reconcile.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

AttemptId key(std::uint32_t job, std::uint32_t attempt) { return {JobId(job), Attempt(attempt)}; }

AttemptReport live(std::uint32_t job, std::uint32_t attempt) {
    return {.job = JobId(job), .attempt = Attempt(attempt), .live = true};
}
AttemptReport ended(std::uint32_t job, std::uint32_t attempt) {
    return {.job = JobId(job), .attempt = Attempt(attempt), .live = false};
}

struct InventoryCase {
    const char* what;
    std::vector<Believed> believed;
    std::vector<AttemptReport> inventory;
    bool same_boot;
    Reconciled expected;
};
const InventoryCase kCases[] = {
    {"nothing on either side", {}, {}, true, {}},
    {"live and current is kept", {{key(1, 1), true}}, {live(1, 1)}, true, {.live = {key(1, 1)}}},
    {"live is kept though its start was never reported",
     {{key(1, 1), false}},
     {live(1, 1)},
     true,
     {.live = {key(1, 1)}}},
    {"a spooled end is taken", {{key(1, 1), true}}, {ended(1, 1)}, true, {.ended = {ended(1, 1)}}},
    {"a spooled end outlives the boot it ran under",
     {{key(1, 1), true}},
     {ended(1, 1)},
     false,
     {.ended = {ended(1, 1)}}},
    {"never launched is in no list: it is launched again", {{key(1, 1), false}}, {}, true, {}},
    {"started and absent is ended for good", {{key(1, 1), true}}, {}, true, {.gone = {key(1, 1)}}},
    {"absent under another boot is lost", {{key(1, 1), true}}, {}, false, {.lost = {key(1, 1)}}},
    {"absent under another boot is lost though it never started",
     {{key(1, 1), false}},
     {},
     false,
     {.lost = {key(1, 1)}}},
    {"an unknown job is a stray", {}, {live(7, 1)}, true, {.orphans = {key(7, 1)}}},
    {"an earlier attempt is a stray",
     {{key(1, 2), false}},
     {live(1, 1)},
     true,
     {.orphans = {key(1, 1)}}},
    {"an end that nobody waits for decides nothing", {}, {ended(7, 1)}, true, {}},
    {"the end of an earlier attempt decides nothing",
     {{key(1, 2), true}},
     {ended(1, 1), live(1, 2)},
     true,
     {.live = {key(1, 2)}}},
    {"both live and ended has ended",
     {{key(1, 1), true}},
     {live(1, 1), ended(1, 1)},
     true,
     {.ended = {ended(1, 1)}}},
};

TEST(Reconcile, DecidesAsThisTable) {
    for (const InventoryCase& one : kCases) {
        EXPECT_EQ(reconcile(one.believed, one.inventory, one.same_boot), one.expected) << one.what;
    }
}

// For any input: every believed attempt that is absent is accounted for, no attempt is in two
// lists, and every attempt reported live is in one.
TEST(Reconcile, PutsEachAttemptInOneListAtMost) {
    testing::for_each_seed(300, [](Rng& rng) {
        std::vector<Believed> believed;
        std::vector<AttemptReport> inventory;
        for (std::uint32_t job = 1; job <= 6; ++job) {
            if (rng.chance(50)) believed.push_back({key(job, 2), rng.chance(50)});
            for (std::uint32_t attempt = 1; attempt <= 2; ++attempt) {
                const auto what = rng.between(0, 3);
                if (what == 0) inventory.push_back(live(job, attempt));
                if (what == 1) inventory.push_back(ended(job, attempt));
            }
        }
        const bool same_boot = rng.chance(50);
        const Reconciled result = reconcile(believed, inventory, same_boot);
        std::map<AttemptId, int> seen;
        for (const auto& report : result.ended) ++seen[{report.job, report.attempt}];
        for (const auto* list : {&result.lost, &result.live, &result.gone, &result.orphans}) {
            for (const AttemptId& one : *list) ++seen[one];
        }
        for (const auto& [one, times] : seen) EXPECT_EQ(times, 1) << one.job.value();
        for (const Believed& one : believed) {
            EXPECT_TRUE(seen.contains(one.key) || (same_boot && !one.started));
        }
        for (const AttemptReport& report : inventory) {
            EXPECT_TRUE(!report.live || seen.contains({report.job, report.attempt}));
        }
    });
}

}  // namespace
}  // namespace berth
