#include "berth/engine/plan/free_slot_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "berth/testing/engine_rig.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Plain = std::map<std::pair<Time, NodeId>, Time>;

std::vector<FreeSlot> plain_answer(const Plain& plain, Duration length, Time reach) {
    std::vector<FreeSlot> free_slots;
    for (const auto& [key, end] : plain) {
        const bool endless = end == kNever || key.first < Time{};
        if (end < reach || (!endless && end - key.first < length)) continue;
        free_slots.push_back({key.first, end, key.second});
    }
    return free_slots;
}

void expect_same_answers(Rng& rng, const FreeSlotTree& tree, const Plain& plain) {
    const Duration length = rng.chance(5) ? Duration::max() : Duration(rng.between(1, 60));
    const Time reach = rng.chance(5) ? kNever : at_ms(rng.between(0, 600));
    std::vector<FreeSlot> found;
    for (FreeSlotTree::Cursor cursor(tree, length, reach); cursor.valid(); cursor.next()) {
        found.push_back(cursor.free_slot());
    }
    ASSERT_EQ(found, plain_answer(plain, length, reach));
}

TEST(FreeSlotTree, AgreesWithASortedList) {
    testing::for_each_seed(60, [](Rng& rng) {
        FreeSlotTree tree;
        Plain plain;
        const bool large = rng.chance(20);  // So that inner nodes split, too.
        const int steps = large ? 12000 : 400;
        const std::int64_t more = rng.between(40, 80);  // Grows, or goes empty at times.
        for (int i = 0; i < steps; ++i) {
            const NodeId node(static_cast<std::uint32_t>(rng.between(0, large ? 2000 : 50)));
            const Time start = rng.chance(2) ? Time::min() : at_ms(rng.between(0, 500));
            const Time end = rng.chance(3)
                                 ? kNever
                                 : std::max(start, Time{}) + Duration(rng.between(1, 60));
            if (rng.chance(more)) {
                if (plain.contains({start, node})) continue;
                plain[{start, node}] = end;
                tree.insert({start, end, node});
            } else if (!plain.empty()) {
                auto known = plain.lower_bound({start, node});
                if (known == plain.end()) known = plain.begin();
                const FreeSlot free_slot{known->first.first, known->second, known->first.second};
                if (rng.chance(50)) {
                    tree.set_end(free_slot, end);
                    known->second = end;
                } else {
                    tree.erase(free_slot);
                    plain.erase(known);
                }
            }
            ASSERT_EQ(tree.size(), plain.size());
            if (i % (large ? 400 : 20) == 0) expect_same_answers(rng, tree, plain);
        }
        while (!plain.empty()) {  // From the left, as time passes.
            tree.erase(
                {plain.begin()->first.first, plain.begin()->second, plain.begin()->first.second});
            plain.erase(plain.begin());
        }
        expect_same_answers(rng, tree, plain);
    });
}

// Time passes at the left; what ends early comes back there.
TEST(FreeSlotTree, KeepsItsOrderWhereTheFirstHolesGoAndComeBack) {
    for (const std::uint32_t free_slots : {64U, 200U, 5000U}) {
        FreeSlotTree tree;
        Plain plain;
        const auto insert = [&](std::uint32_t i) {
            tree.insert({at_ms(i), at_ms(i + 10), NodeId(i)});
            plain[{at_ms(i), NodeId(i)}] = at_ms(i + 10);
        };
        for (std::uint32_t i = 0; i < free_slots; ++i) insert(i);
        for (const std::uint32_t gone : {free_slots / 2, free_slots / 3, free_slots}) {
            for (std::uint32_t i = 0; i < gone; ++i)
                tree.erase({at_ms(i), at_ms(i + 10), NodeId(i)});
            for (std::uint32_t i = gone; i-- > 0;) insert(i);
            Rng rng(gone);
            expect_same_answers(rng, tree, plain);
        }
    }
}

}  // namespace
}  // namespace berth
