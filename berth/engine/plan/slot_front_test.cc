#include "berth/engine/plan/slot_front.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/engine/plan/free_slot_index.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::size_t kLevels = 2;
using Spans = std::vector<std::pair<Time, Time>>;

// The free slots of one node on one level, in order, with gaps between them.
Spans random_spans(Rng& rng) {
    Spans runs;
    Time at = rng.chance(30) ? Time::min() : at_ms(rng.between(0, 300));
    for (std::int64_t left = rng.between(0, 4); left > 0; --left) {
        const Time end =
            rng.chance(10) ? kNever : std::max(at, Time{}) + Duration(rng.between(1, 90));
        runs.emplace_back(at, end);
        if (end == kNever) break;
        at = end + Duration(rng.between(1, 60));
    }
    return runs;
}

FreeSlotRuns random_levels(Rng& rng) { return {random_spans(rng), random_spans(rng)}; }

Time plain_start(const std::map<NodeId, FreeSlotRuns>& nodes, std::size_t level, Duration length,
                 Time earliest) {
    Time first = kNever;
    for (const auto& [node, runs] : nodes) {
        for (const auto& [start, end] : runs[level]) {
            const Time at = std::max(start, earliest);
            if (end >= after(at, length)) first = std::min(first, at);
        }
    }
    return first;
}

TEST(SlotFront, FindTheFirstStartOfAllNodes) {
    testing::for_each_seed(60, [](Rng& rng) {
        FreeSlotIndex slots(1);
        slots.set_levels(0, kLevels);
        std::map<NodeId, FreeSlotRuns> nodes;
        for (int i = 0; i < 300; ++i) {
            const NodeId node(static_cast<std::uint32_t>(rng.between(0, 12)));
            const FreeSlotRuns now = random_levels(rng);
            if (rng.chance(2)) {
                slots.clear();
                nodes.clear();
            } else if (!nodes.contains(node)) {
                slots.insert(0, node, now);
                nodes[node] = now;
            } else {
                FreeSlotRuns& known = nodes[node];
                const std::size_t level = rng.chance(50) ? 1 : 0;
                slots.replace(0, node, std::uint64_t{1} << level, known, now);
                known[level] = now[level];
            }
            const auto level = static_cast<std::size_t>(rng.between(0, 1));
            const Duration length(rng.between(1, 120));
            const Time earliest = at_ms(rng.between(0, 400));
            ASSERT_EQ(slots.first_start(0, level, length, earliest),
                      plain_start(nodes, level, length, earliest));
        }
    });
}

TEST(SlotFront, ALevelIsFilledAnew) {
    FreeSlotIndex slots(1);
    slots.set_levels(0, 1);
    slots.insert(0, NodeId(0), {{{at_ms(10), at_ms(20)}}});
    slots.clear_level(0, 0);
    EXPECT_EQ(slots.first_start(0, 0, Duration(5), at_ms(0)), kNever);
    slots.insert_level(0, NodeId(0), {{{at_ms(12), at_ms(20)}}}, 0);
    EXPECT_EQ(slots.first_start(0, 0, Duration(5), at_ms(0)), at_ms(12));
}

}  // namespace
}  // namespace berth
