#include "berth/model/cluster_edits.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

using Strings = std::vector<std::string>;
using namespace std::chrono_literals;

ClusterSpec cluster() {
    ClusterSpec spec;
    for (const char* name : {"gpu1", "gpu2", "gpu3"}) {
        NodeSpec node;
        node.name = name;
        node.features = {"a100"};
        spec.nodes.push_back(node);
    }
    PartitionSpec main;
    main.name = "main";
    main.nodes = {NodeId(0), NodeId(1), NodeId(2)};
    main.is_default = true;
    main.max_time = 48h;
    spec.partitions.push_back(main);
    return spec;
}

ClusterEdits edit(const std::string& name, PartitionChange change, bool is_new = false) {
    ClusterEdits edits;
    edits.partitions.push_back({.name = name, .is_new = is_new, .change = std::move(change)});
    return edits;
}

TEST(ClusterEdits, ChangeWhatIsGivenAndLeaveTheRest) {
    ClusterSpec spec = cluster();
    PartitionChange change;
    change.state = "DOWN";
    change.max_nodes = 2;
    apply_edits(spec, edit("main", change));
    EXPECT_EQ(spec.partitions[0].state, PartitionState::down);
    EXPECT_EQ(spec.partitions[0].max_nodes, 2U);
    EXPECT_EQ(spec.partitions[0].max_time, Duration(48h));
    change = {};
    change.max_nodes = -1;
    change.max_time = "UNLIMITED";
    apply_edits(spec, edit("main", change));
    EXPECT_EQ(spec.partitions[0].max_nodes, std::nullopt);
    EXPECT_EQ(spec.partitions[0].max_time, std::nullopt);
    EXPECT_EQ(spec.partitions[0].state, PartitionState::down);
}

TEST(ClusterEdits, MakeAPartitionAndMoveTheDefault) {
    ClusterSpec spec = cluster();
    PartitionChange change;
    change.nodes = Strings{"gpu3", "gpu1", "gpu1", "nowhere"};
    change.is_default = true;
    const ClusterEdits edits = edit("night", change, true);
    apply_edits(spec, edits);
    ASSERT_EQ(spec.partitions.size(), 2U);
    EXPECT_EQ(spec.partitions[1].nodes, (std::vector<NodeId>{NodeId(0), NodeId(2)}));
    EXPECT_FALSE(spec.partitions[0].is_default);
    EXPECT_TRUE(spec.partitions[1].is_default);
    const ClusterSpec once = spec;
    apply_edits(spec, edits);
    EXPECT_EQ(spec, once);
}

TEST(ClusterEdits, LeaveOutAPartitionThatIsNotConfigured) {
    ClusterSpec spec = cluster();
    PartitionChange change;
    change.state = "DOWN";
    apply_edits(spec, edit("elsewhere", change));
    EXPECT_EQ(spec, cluster());
}

TEST(ClusterEdits, RemoveAPartitionButNotItsNumber) {
    ClusterSpec spec = cluster();
    ClusterEdits edits;
    edits.partitions.push_back({.name = "main", .removed = true, .is_new = false, .change = {}});
    apply_edits(spec, edits);
    ASSERT_EQ(spec.partitions.size(), 1U);
    EXPECT_TRUE(spec.partitions[0].gone);
    EXPECT_EQ(spec.find_partition("main"), std::nullopt);
    PartitionChange change;
    change.nodes = Strings{"gpu2"};
    merge(edits, edit("main", change, true));
    apply_edits(spec, edits);
    EXPECT_EQ(spec.find_partition("main"), PartitionId(0));
    EXPECT_EQ(spec.partitions[0].max_time, std::nullopt) << "Nothing of the old one is left.";
}

TEST(ClusterEdits, OfEachFieldTheLastWordCounts) {
    ClusterEdits all;
    PartitionChange first, second;
    first.state = "DOWN";
    first.min_nodes = 2;
    second.state = "UP";
    second.allow_accounts = Strings{"bio"};
    merge(all, edit("main", first));
    merge(all, edit("main", second));
    ASSERT_EQ(all.partitions.size(), 1U);
    EXPECT_EQ(all.partitions[0].change.state, "UP");
    EXPECT_EQ(all.partitions[0].change.min_nodes, 2U);
    EXPECT_EQ(all.partitions[0].change.allow_accounts, Strings{"bio"});
}

TEST(ClusterEdits, OnlyTheLastDefaultIsOne) {
    ClusterEdits all;
    PartitionChange is_default;
    is_default.is_default = true;
    merge(all, edit("a", is_default, true));
    merge(all, edit("b", is_default, true));
    merge(all, edit("a", is_default));
    ClusterSpec spec = cluster();
    apply_edits(spec, all);
    EXPECT_EQ(spec.default_partition(), spec.find_partition("a"));
}

TEST(ClusterEdits, ChangeNodes) {
    ClusterSpec spec = cluster();
    ClusterEdits edits;
    NodeChange change;
    change.weight = 7;
    change.features = Strings{"h100", "ib"};
    edits.nodes.push_back({"gpu2", change});
    NodeChange later;
    later.comment = "new fan";
    merge(edits, {.partitions = {}, .nodes = {{"gpu2", later}}});
    apply_edits(spec, edits);
    EXPECT_EQ(spec.nodes[1].weight, 7U);
    EXPECT_EQ(spec.nodes[1].features, (Strings{"h100", "ib"}));
    EXPECT_EQ(spec.nodes[1].comment, "new fan");
    EXPECT_EQ(spec.nodes[0], cluster().nodes[0]);
}

TEST(ClusterEdits, SayWhatIsWrongWithThem) {
    struct Case {
        void (*spoil)(PartitionChange&);
        const char* says;
    };
    const Case cases[] = {
        {[](PartitionChange& c) { c.state = "SLEEPY"; },
         "State=SLEEPY should be UP, DOWN, DRAIN or INACTIVE"},
        {[](PartitionChange& c) { c.max_nodes = -5; }, "MaxNodes should be a count of nodes"},
        {[](PartitionChange& c) { c.max_memory_per_cpu = -1; },
         "an amount of memory should be 0 or more"},
        {[](PartitionChange& c) { c.priority_tier = 70000; },
         "PriorityJobFactor and PriorityTier go from 0 to 65533"},
        {[](PartitionChange& c) { c.grace_time = -1; }, "GraceTime should be 0 seconds to a year"},
        {[](PartitionChange& c) { c.grace_time = 9'200'000'000'000'000; },
         "GraceTime should be 0 seconds to a year"},
    };
    for (const Case& one : cases) {
        PartitionChange change;
        EXPECT_TRUE(check(change).ok());
        one.spoil(change);
        const Status right = check(change);
        ASSERT_FALSE(right.ok()) << one.says;
        EXPECT_EQ(right.error().message, one.says);
    }
    PartitionChange change;
    change.max_time = "soon";
    EXPECT_FALSE(check(change).ok());
    change.max_time = "NONE";
    EXPECT_FALSE(check(change).ok()) << "Only the default has none.";
    change = {};
    change.default_time = "NONE";
    EXPECT_TRUE(check(change).ok());
}

}  // namespace
}  // namespace berth
