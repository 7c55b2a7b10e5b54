#include "berth/server/snapshot/id_table.h"

#include <gtest/gtest.h>

#include <map>

#include "berth/testing/seeds.h"

namespace berth {
namespace {

using Table = IdTable<int>;
using Model = std::map<std::uint32_t, int>;

Model contents(const Table& table) {
    Model all;
    table.for_each([&](std::uint32_t id, int value) { all[id] = value; });
    return all;
}

std::uint32_t draw_id(Rng& rng) {
    const auto wide = static_cast<std::uint32_t>(rng.next());
    return rng.chance(70) ? wide % 300 : rng.chance(50) ? wide : UINT32_MAX - wide % 100;
}

TEST(IdTable, IsAMapWhoseCopiesNeverChange) {
    testing::for_each_seed(200, [](Rng& rng) {
        Table table;
        Model model;
        std::vector<std::pair<Table, Model>> copies;
        std::uint64_t snapshot = 1;
        for (int step = 0; step < 400; ++step) {
            const std::uint32_t id = draw_id(rng);
            if (rng.chance(60)) {
                model[id] = step;
                table.set(snapshot, id, std::make_shared<const int>(step));
            } else {
                model.erase(id);
                table.erase(snapshot, id);
            }
            ASSERT_EQ(table.size(), model.size());
            if (rng.chance(10)) {
                copies.emplace_back(table, model);
                ++snapshot;
            }
        }
        for (const auto& [copy, was] : copies) ASSERT_EQ(contents(copy), was);
        ASSERT_EQ(contents(table), model);
        for (int i = 0; i < 100; ++i) {
            const std::uint32_t id = draw_id(rng);
            const auto found = model.find(id);
            ASSERT_EQ(table.find(id) != nullptr, found != model.end());
            const auto next = model.lower_bound(id);
            const auto bound = table.lower_bound(id);
            ASSERT_EQ(bound.has_value(), next != model.end());
            if (bound) {
                ASSERT_EQ(bound->first, next->first);
            }
        }
    });
}

TEST(IdTable, SharesWhatDidNotChange) {
    Table table;
    for (std::uint32_t id = 0; id < 10'000; ++id) table.set(1, id, std::make_shared<const int>(1));
    const Table copy = table;
    table.set(2, 5'000, std::make_shared<const int>(2));
    std::size_t same = 0;
    copy.for_each([&](std::uint32_t id, const int& value) {
        if (table.find(id) == &value) ++same;
    });
    EXPECT_EQ(same, 9'999U);
}

}  // namespace
}  // namespace berth
