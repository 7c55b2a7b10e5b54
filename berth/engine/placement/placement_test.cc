#include "berth/engine/placement/placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "berth/testing/builders.h"
#include "berth/testing/fixed_view.h"
#include "berth/testing/seeds.h"

namespace berth {
namespace {

// A cluster whose rooms are set by hand.
struct Ground {
    testing::FixedView view;
    Policy policy;
    std::vector<Resources> free;

    PlacementPreference preference() const { return {policy.placement(), view}; }
    Rooms rooms() const {
        return [this](NodeId node) { return &free[node.index()]; };
    }
    std::optional<std::vector<Part>> place(const Demand& demand) const {
        auto placed = berth::place(demand, rooms(), preference());
        if (auto* parts = std::get_if<std::vector<Part>>(&placed)) return std::move(*parts);
        return std::nullopt;
    }
};

Ground make_ground(std::uint32_t nodes, const testing::NodeOptions& options = {}) {
    Ground ground;
    ground.view.cluster = testing::make_cluster(nodes, options);
    for (const NodeSpec& node : ground.view.cluster.nodes) ground.free.push_back(node.capacity);
    return ground;
}

Demand make_demand(const Ground& ground) {
    Demand demand;
    demand.tasks_per_node = 1;
    demand.choices.push_back(BitSet::all(ground.free.size()));
    demand.required = BitSet(ground.free.size());
    return demand;
}

constexpr DimensionId kGpu{2};

TEST(Placement, FillsTheFullestNodeThatFits) {
    Ground ground = make_ground(3);
    ground.free[0][kGpu] = 8;
    ground.free[1][kGpu] = 3;
    ground.free[2][kGpu] = 1;
    Demand demand = make_demand(ground);
    demand.gres_per_node = {{dimension_bit(kGpu), 2}};
    const auto parts = ground.place(demand);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->front().node, NodeId(1));
    EXPECT_EQ(parts->front().take.amount[kGpu], 2);
}

TEST(Placement, SpreadsTasksOverTheFewestNodesAndBreaksTheLastOne) {
    Ground ground = make_ground(4);
    Demand demand = make_demand(ground);
    demand.tasks = 12;
    demand.tasks_per_node = 0;
    demand.nodes_max = 12;
    demand.gres_per_task = {{dimension_bit(kGpu), 1}};
    ground.free[3][kGpu] = 4;
    const auto parts = ground.place(demand);
    ASSERT_TRUE(parts);
    ASSERT_EQ(parts->size(), 2U);
    EXPECT_EQ(parts->front().take.tasks, 8U);
    EXPECT_EQ(parts->back().node, NodeId(3));  // Four fit there, and none elsewhere.
    EXPECT_EQ(parts->back().take.tasks, 4U);
}

TEST(Placement, SharesTasksEvenlyOverNodesAskedFor) {
    const Ground ground = make_ground(3);
    Demand demand = make_demand(ground);
    demand.tasks = 5;
    demand.tasks_per_node = 0;
    demand.nodes_min = demand.nodes_max = 2;
    demand.fewest_nodes = false;
    const auto parts = ground.place(demand);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->front().take.tasks, 3U);
    EXPECT_EQ(parts->back().take.tasks, 2U);
}

TEST(Placement, TakesAllNodesOfARangeThatAreFree) {
    Ground ground = make_ground(4);
    ground.free[1][kGpu] = 0;
    Demand demand = make_demand(ground);
    demand.nodes_min = 2;
    demand.nodes_max = 4;
    demand.fewest_nodes = false;
    demand.gres_per_node = {{dimension_bit(kGpu), 8}};
    EXPECT_EQ(ground.place(demand)->size(), 3U);
}

TEST(Placement, SaysWhyNotInNumbers) {
    Ground ground = make_ground(2);
    ground.free[0][kGpu] = 3;
    ground.free[1][kGpu] = 4;
    Demand demand = make_demand(ground);
    demand.gres_per_node = {{dimension_bit(kGpu), 6}};
    const auto placed = place(demand, ground.rooms(), ground.preference());
    const Why* why = std::get_if<Why>(&placed);
    ASSERT_NE(why, nullptr);
    ASSERT_EQ(why->shortages.size(), 1U);
    const Shortage& shortage = why->shortages.front();
    EXPECT_EQ(shortage.resource, "gpu:a100");
    EXPECT_EQ(shortage.asked, 6);
    EXPECT_EQ(shortage.free, 7);
    EXPECT_EQ(shortage.total, 16);
    EXPECT_EQ(shortage.nodes_fit, 0U);
    EXPECT_EQ(shortage.nodes_asked, 1U);
}

// ---- Against brute force.

bool serves(const std::vector<std::pair<DimensionSet, std::int64_t>>& wants,
            const Resources& left) {
    // Hall's condition: no subset asks for more than there is.
    for (DimensionSet set = 0; set < 16; ++set) {
        const DimensionSet dimensions = set << 2;
        std::int64_t asked = 0, has = 0;
        for (const auto& [of, count] : wants) {
            if ((of & ~dimensions) == 0) asked += count;
        }
        for (std::uint32_t d = 2; d < 6; ++d) {
            if ((dimensions & dimension_bit(DimensionId(d))) != 0) has += left[DimensionId(d)];
        }
        if (asked > has) return false;
    }
    return true;
}

bool node_serves(const Demand& demand, const NodeSpec& node, const Resources& room,
                 std::uint32_t tasks, const std::vector<std::int64_t>& totals) {
    const NodeNeed need = need_on(demand, node, tasks);
    if (std::uint64_t{tasks} * demand.cpus_per_task > node.cpus()) return false;
    if (cores(need.cpus) > room.cpu() || need.memory > room.memory()) return false;
    std::vector<std::pair<DimensionSet, std::int64_t>> wants;
    wants.reserve(demand.gres_per_node.size());
    for (const GresDemand& g : demand.gres_per_node) wants.emplace_back(g.dimensions, g.count);
    for (const GresDemand& g : demand.gres_per_task) {
        wants.emplace_back(g.dimensions, g.count * tasks);
    }
    for (std::size_t i = 0; i < totals.size(); ++i) {
        wants.emplace_back(demand.gres_total[i].dimensions, totals[i]);
    }
    if (!demand.exclusive) return serves(wants, room);
    Resources idle = node.capacity;
    idle.set_memory(Bytes(0));
    return fits(idle, room) && serves(wants, node.capacity);
}

// Tries everything: which nodes, how many tasks, how much of each total.
class BruteForce {
public:
    BruteForce(const Demand& demand, const Ground& ground) : demand_(demand), ground_(ground) {}

    bool possible() {
        for (const BitSet& choice : demand_.choices) {
            choice_ = &choice;
            std::vector<std::int64_t> totals;
            totals.reserve(demand_.gres_total.size());
            for (const GresDemand& gres : demand_.gres_total) totals.push_back(gres.count);
            if (from(0, 0, demand_.tasks.value_or(0), totals)) return true;
        }
        return false;
    }

private:
    bool from(std::size_t n, std::uint32_t nodes, std::int64_t tasks,
              const std::vector<std::int64_t>& totals) {
        if (n == ground_.free.size()) {
            const bool all = tasks == 0 && std::ranges::all_of(totals, [&](std::int64_t t) {
                                 return t == 0 || (demand_.exclusive && t < 0);
                             });
            return all && nodes >= demand_.nodes_min && nodes <= demand_.nodes_max;
        }
        if (!demand_.required.test(n) && from(n + 1, nodes, tasks, totals)) return true;
        if (!choice_->test(n) || nodes == demand_.nodes_max) return false;
        const std::int64_t least = demand_.tasks ? 1 : demand_.tasks_per_node;
        std::int64_t most = demand_.tasks ? tasks : demand_.tasks_per_node;
        if (demand_.tasks && demand_.tasks_per_node > 0) {
            most = std::min<std::int64_t>(most, demand_.tasks_per_node);
        }
        for (std::int64_t t = least; t <= most; ++t) {
            std::vector<std::int64_t> here(totals.size(), 1);
            if (with(n, nodes, t, demand_.tasks ? tasks - t : 0, totals, here, 0)) return true;
        }
        return false;
    }

    bool with(std::size_t n, std::uint32_t nodes, std::int64_t here_tasks, std::int64_t left_tasks,
              const std::vector<std::int64_t>& totals, std::vector<std::int64_t>& here,
              std::size_t i) {
        if (i < here.size()) {
            for (here[i] = 1; here[i] <= totals[i]; ++here[i]) {
                if (with(n, nodes, here_tasks, left_tasks, totals, here, i + 1)) return true;
            }
            return false;
        }
        const NodeSpec& node = ground_.view.cluster.nodes[n];
        if (!node_serves(demand_, node, ground_.free[n], static_cast<std::uint32_t>(here_tasks),
                         here)) {
            return false;
        }
        std::vector<std::int64_t> left = totals;
        for (std::size_t k = 0; k < here.size(); ++k) left[k] -= here[k];
        return from(n + 1, nodes + 1, left_tasks, left);
    }

    const Demand& demand_;
    const Ground& ground_;
    const BitSet* choice_ = nullptr;
};

Ground random_ground(Rng& rng) {
    Ground ground;
    ClusterSpec& spec = ground.view.cluster;
    spec.partitions.push_back({.name = "main"});
    spec.dimensions.intern("gpu", "a100");
    spec.dimensions.intern("gpu", "h100");
    spec.dimensions.intern("fpga", "");
    const std::int64_t nodes = rng.between(1, 4);
    for (std::int64_t n = 0; n < nodes; ++n) {
        testing::add_node(spec, "n" + std::to_string(n),
                          {.cores_per_socket = 2,
                           .threads_per_core = static_cast<std::uint32_t>(rng.between(1, 2)),
                           .memory = gib(4),
                           .gpu_type = rng.chance(50) ? "a100" : "h100",
                           .gpus = static_cast<std::uint32_t>(rng.between(0, 4)),
                           .counted = {{"fpga", rng.between(0, 2)}}});
    }
    for (const NodeSpec& node : spec.nodes) {
        Resources room = node.capacity;
        for (std::uint32_t d = 2; d < 5; ++d) {
            const DimensionId dimension(d);
            if (rng.chance(40)) room[dimension] = rng.between(0, room[dimension]);
        }
        if (rng.chance(40)) {
            const std::int64_t used = rng.between(0, node.cores()) * node.threads_per_core;
            room.set_cpu(room.cpu() - cores(used));
        }
        if (rng.chance(30)) room.set_memory(gib(rng.between(0, 4)));
        ground.free.push_back(room);
    }
    return ground;
}

GresDemand random_gres(Rng& rng) {
    const std::int64_t kind = rng.between(0, 3);
    const DimensionSet sets[] = {0b00100, 0b01000, 0b01100, 0b10000};
    return {sets[kind], rng.between(1, 3)};
}

Demand random_demand(Rng& rng, const Ground& ground) {
    Demand demand = make_demand(ground);
    const std::size_t nodes = ground.free.size();
    demand.cpus_per_task = static_cast<std::uint32_t>(rng.between(1, 3));
    demand.nodes_min = static_cast<std::uint32_t>(rng.between(1, 2));
    demand.nodes_max = demand.nodes_min + static_cast<std::uint32_t>(rng.between(0, 3));
    demand.fewest_nodes = rng.chance(50);
    if (rng.chance(60)) {
        demand.tasks = static_cast<std::uint32_t>(rng.between(demand.nodes_min, 5));
        demand.tasks_per_node = rng.chance(30) ? static_cast<std::uint32_t>(rng.between(1, 3)) : 0;
        demand.nodes_max = std::min(demand.nodes_max, *demand.tasks);
    } else {
        demand.tasks_per_node = static_cast<std::uint32_t>(rng.between(1, 2));
    }
    demand.exclusive = rng.chance(15);
    demand.memory.rule = static_cast<MemoryRule>(rng.between(0, 3));
    demand.memory.amount = gib(rng.between(1, 2));
    if (rng.chance(50)) demand.gres_per_node.push_back(random_gres(rng));
    if (rng.chance(30)) demand.gres_per_task.push_back(random_gres(rng));
    if (rng.chance(30)) demand.gres_total.push_back(random_gres(rng));
    if (rng.chance(20)) {
        demand.choices.assign(2, BitSet(nodes));
        for (std::size_t n = 0; n < nodes; ++n) {
            demand.choices[static_cast<std::size_t>(rng.between(0, 1))].set(n);
        }
    }
    if (rng.chance(20)) {
        demand.required.set(static_cast<std::size_t>(rng.between(0, static_cast<int>(nodes) - 1)));
    }
    return demand;
}

// The placed parts must equal the request.
void check_parts(const Demand& demand, const Ground& ground, const std::vector<Part>& parts) {
    ASSERT_GE(parts.size(), demand.nodes_min);
    ASSERT_LE(parts.size(), demand.nodes_max);
    std::uint32_t tasks = 0;
    BitSet nodes(ground.free.size());
    std::vector<std::int64_t> totals(demand.gres_total.size());
    for (const Part& part : parts) {
        const NodeSpec& node = ground.view.cluster.node(part.node);
        nodes.set(part.node.index());
        tasks += part.take.tasks;
        ASSERT_TRUE(fits(part.take.amount, ground.free[part.node.index()]));
        const NodeNeed need = need_on(demand, node, part.take.tasks);
        ASSERT_EQ(part.take.amount.cpu(), cores(need.cpus));
        ASSERT_EQ(part.take.amount.memory(), need.memory);
        for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += part.take.of_total[i];
        if (!demand.tasks) {
            ASSERT_EQ(part.take.tasks, demand.tasks_per_node);
        }
    }
    ASSERT_EQ(nodes.count(), parts.size());
    ASSERT_TRUE(demand.required.is_subset_of(nodes));
    if (demand.tasks) {
        ASSERT_EQ(tasks, *demand.tasks);
    }
    for (std::size_t i = 0; i < totals.size(); ++i) {
        if (demand.exclusive) {
            ASSERT_GE(totals[i], demand.gres_total[i].count);
        }
        if (!demand.exclusive) {
            ASSERT_EQ(totals[i], demand.gres_total[i].count);
        }
    }
}

std::string describe(const Demand& demand, const Ground& ground) {
    std::string text =
        "nodes " + std::to_string(demand.nodes_min) + "-" + std::to_string(demand.nodes_max) +
        " tasks " + std::to_string(demand.tasks.value_or(0)) + " a node " +
        std::to_string(demand.tasks_per_node) + " cpus " + std::to_string(demand.cpus_per_task) +
        (demand.exclusive ? " whole" : "") + " memory rule " +
        std::to_string(static_cast<int>(demand.memory.rule)) + "\n";
    const auto add = [&](const char* what, const std::vector<GresDemand>& wanted) {
        for (const GresDemand& gres : wanted) {
            text += std::string(what) + " " + std::to_string(gres.count) + " of " +
                    mask_to_list(gres.dimensions) + "\n";
        }
    };
    add("each node", demand.gres_per_node);
    add("each task", demand.gres_per_task);
    add("in all", demand.gres_total);
    for (const BitSet& choice : demand.choices) text += "choice " + choice.to_list() + "\n";
    text += "required " + demand.required.to_list() + "\n";
    for (const Resources& room : ground.free) {
        text += "free";
        for (std::uint32_t d = 0; d < 5; ++d) text += " " + std::to_string(room[DimensionId(d)]);
        text += "\n";
    }
    return text;
}

TEST(Placement, FindsAPlaceWheneverThereIsOne) {
    int possible = 0, all = 0;
    testing::for_each_seed(4000, [&](Rng& rng) {
        const Ground ground = random_ground(rng);
        const Demand demand = random_demand(rng, ground);
        const auto parts = ground.place(demand);
        const bool can = BruteForce(demand, ground).possible();
        ++all;
        possible += can ? 1 : 0;
        ASSERT_EQ(parts.has_value(), can) << describe(demand, ground);
        if (parts) check_parts(demand, ground, *parts);
    });
    if (all < 1000) return;
    EXPECT_GT(possible * 10, all);  // Neither answer is rare.
    EXPECT_LT(possible * 10, all * 9);
}

}  // namespace
}  // namespace berth
