#include <algorithm>

#include "berth/engine/plan/plan_search.h"

#include <gtest/gtest.h>

#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

constexpr std::int64_t kHorizon = 30;

struct SearchWorld {
    Engine engine;
    testing::FixedView view;
    Policy policy;
    PlanBook book;
    // The same, moment by moment.
    std::vector<std::vector<Resources>> free;

    Resources least_free(std::size_t node, std::int64_t from, Duration length) const {
        Resources least = free[node][static_cast<std::size_t>(from)];
        for (std::int64_t t = from; t <= kHorizon && Duration(t - from) < length; ++t) {
            for (std::uint32_t d = 0; d < kDimensionsMax; ++d) {
                const DimensionId dim(d);
                least[dim] = std::min(least[dim], free[node][static_cast<std::size_t>(t)][dim]);
            }
        }
        return least;
    }
};

SearchWorld random_search_world(Rng& rng) {
    ClusterSpec spec =
        testing::make_cluster(static_cast<std::uint32_t>(rng.between(1, 4)),
                              {.sockets = 1, .cores_per_socket = 4, .memory = gib(4), .gpus = 4});
    SearchWorld world;
    world.view.cluster = spec;
    world.engine = testing::make_engine(std::move(spec));
    world.book.rebuild(world.engine.state());
    const auto& nodes = world.view.cluster.nodes;
    for (const NodeSpec& node : nodes) {
        world.free.emplace_back(static_cast<std::size_t>(kHorizon) + 1, node.capacity);
    }
    const std::int64_t planned_reservations = rng.between(0, 20);
    for (std::int64_t i = 0; i < planned_reservations; ++i) {
        const auto n = static_cast<std::size_t>(rng.between(0, static_cast<int>(nodes.size()) - 1));
        PlannedReservation planned_reservation{at_ms(rng.between(0, 20)), {}, {}, {}};
        planned_reservation.end = planned_reservation.start + Duration(rng.between(1, 10));
        if (rng.chance(5)) planned_reservation.end = kNever;
        Resources amount;
        amount.set_cpu(cores(rng.between(0, 2)));
        amount[DimensionId(2)] = rng.between(0, 2);
        planned_reservation.amounts = {{NodeId::from_index(n), amount}};
        if (!world.book.has_room_for(planned_reservation, planned_reservation.start)) continue;
        for (std::int64_t t = planned_reservation.start.time_since_epoch().count();
             t <= kHorizon && at_ms(t) < planned_reservation.end; ++t) {
            world.free[n][static_cast<std::size_t>(t)] -= amount;
        }
        world.book.put(JobId(static_cast<std::uint32_t>(i + 1)), std::move(planned_reservation));
    }
    return world;
}

Demand random_search_demand(Rng& rng, std::size_t nodes) {
    Demand demand;
    demand.nodes_min = static_cast<std::uint32_t>(rng.between(1, 3));
    demand.nodes_max = demand.nodes_min + static_cast<std::uint32_t>(rng.between(0, 1));
    demand.fewest_nodes = rng.chance(50);
    demand.cpus_per_task = static_cast<std::uint32_t>(rng.between(1, 2));
    demand.tasks_per_node = 1;
    if (rng.chance(50)) {
        demand.tasks = static_cast<std::uint32_t>(rng.between(demand.nodes_min, 5));
        demand.tasks_per_node = 0;
        demand.nodes_max = std::min(demand.nodes_max, *demand.tasks);
        demand.gres_per_task = {{dimension_bit(DimensionId(2)), 1}};
    } else {
        demand.gres_per_node = {{dimension_bit(DimensionId(2)), rng.between(1, 4)}};
    }
    demand.choices.push_back(BitSet::all(nodes));
    if (rng.chance(30)) {  // Either of two sets.
        demand.choices.push_back(BitSet(nodes));
        for (std::size_t n = 0; n < nodes; ++n) {
            if (rng.chance(50)) continue;
            demand.choices[0].reset(n);
            demand.choices[1].set(n);
        }
    }
    demand.required = BitSet(nodes);
    return demand;
}

TEST(Search, FindsTheEarliestOfAllStarts) {
    int found_some = 0;
    testing::for_each_seed(2000, [&](Rng& rng) {
        const SearchWorld world = random_search_world(rng);
        const std::size_t nodes = world.free.size();
        const Demand demand = random_search_demand(rng, nodes);
        const PlacementPreference preference{world.policy.placement(), world.view};
        Window window{at_ms(rng.between(0, 5)), at_ms(rng.between(10, 20)),
                      Duration(rng.between(1, 9))};
        if (rng.chance(5)) window.length = Duration::max();
        std::optional<std::int64_t> first;
        for (auto t = window.earliest; t <= window.latest && !first; t += Duration(1)) {
            const std::int64_t start = t.time_since_epoch().count();
            std::vector<Resources> rooms;
            rooms.reserve(nodes);
            for (std::size_t n = 0; n < nodes; ++n) {
                rooms.push_back(world.least_free(n, start, window.length));
            }
            const auto room = [&](NodeId node) { return &rooms[node.index()]; };
            if (place(demand, room, preference).index() == 0) first = start;
        }
        const auto found = find_start(demand, window, world.book, BitSet::all(nodes), preference);
        ASSERT_EQ(found.has_value(), first.has_value());
        if (!found) return;
        ++found_some;
        ASSERT_EQ(found->start, at_ms(*first));
        for (const Part& part : found->parts) {
            ASSERT_TRUE(
                fits(part.take.amount, world.least_free(part.node.index(), *first, window.length)));
        }
    });
    EXPECT_GT(found_some, 0);
}

// Compares the free-slot index with the scan of every node.
TEST(Search, FindsTheSameStartByHoles) {
    int by_free_slots = 0, gangs_by_tasks = 0, found_some = 0;
    testing::for_each_seed(3000, [&](Rng& rng) {
        SearchWorld world = random_search_world(rng);
        const std::size_t nodes = world.free.size();
        Demand demand = random_search_demand(rng, nodes);
        if (rng.chance(30)) demand.nodes_min = demand.nodes_max = 1;
        if (rng.chance(20))
            demand.memory.rule = MemoryRule::per_node, demand.memory.amount = gib(2);
        const PlacementPreference preference{world.policy.placement(), world.view};
        // An earlier demand may have made the levels lower than this one needs.
        if (rng.chance(50))
            requirements_of(random_search_demand(rng, nodes), world.view.cluster, world.book);
        const ClassRequirements requirements =
            requirements_of(demand, world.view.cluster, world.book);
        if (!requirements.known) return;
        ++by_free_slots;
        if (demand.tasks && demand.nodes_min > 1) ++gangs_by_tasks;
        for (const auto& [id, planned_start] :
             world.book.planned_starts()) {  // The index follows the plan.
            if (!rng.chance(30)) continue;
            PlannedReservation moved = world.book.lift(id);
            moved.start += Duration(1);
            if (rng.chance(70)) world.book.put(id, std::move(moved));
            break;
        }
        Window window{at_ms(rng.between(0, 5)), at_ms(rng.between(5, 20)),
                      Duration(rng.between(1, 9))};
        if (rng.chance(5)) window.length = Duration::max();
        BitSet usable = BitSet::all(nodes);
        if (rng.chance(20)) usable.reset(0);
        const auto scanned = find_start(demand, window, world.book, usable, preference);
        const auto found =
            find_start(demand, window, world.book, usable, preference, &requirements);
        ASSERT_EQ(found.has_value(), scanned.has_value());
        if (!found) return;
        ++found_some;
        ASSERT_EQ(found->start, scanned->start);
        ASSERT_EQ(found->parts.size(), scanned->parts.size());
    });
    EXPECT_GT(by_free_slots, testing::scaled(300));
    EXPECT_GT(gangs_by_tasks, testing::scaled(30)) << "-N2 -n2";
    EXPECT_GT(found_some, testing::scaled(200));
}

TEST(Search, LeavesOutNodesThatTakeNoWork) {
    Engine engine = testing::make_engine(testing::make_cluster(2));
    PlanBook book;
    book.rebuild(engine.state());
    testing::FixedView view;
    view.cluster = engine.state().spec();
    const Policy policy;
    Demand demand;
    demand.tasks_per_node = 1;
    demand.choices = {BitSet::all(2)};
    demand.required = BitSet(2);
    BitSet usable(2);
    const Window window{Time{}, at_ms(100), Duration(10)};
    EXPECT_FALSE(find_start(demand, window, book, usable, {policy.placement(), view}));
    usable.set(1);
    EXPECT_EQ(
        find_start(demand, window, book, usable, {policy.placement(), view})->parts.front().node,
        NodeId(1));
}

}  // namespace
}  // namespace berth
