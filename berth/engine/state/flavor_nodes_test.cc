#include "berth/engine/state/flavor_nodes.h"

#include <gtest/gtest.h>

#include "berth/model/flavor_of.h"
#include "berth/model/limits.h"
#include "berth/model/queue_check.h"
#include "berth/testing/builders.h"

namespace berth {
namespace {

ClusterSpec two_nodes() {
    ClusterSpec spec = testing::make_cluster(0);
    testing::add_node(spec, "fat1", {.gpu_type = "a100", .gpus = 8, .features = {"ib", "nvme"}});
    testing::add_node(spec, "lean1", {.gpu_type = "v100", .gpus = 4, .features = {"ib"}});
    return spec;
}

TEST(Flavor, IsTheFirstThatFitsTheNode) {
    ClusterSpec spec = two_nodes();
    EXPECT_EQ(flavor_of(spec, spec.nodes[0]), std::nullopt);
    spec.flavors = {{.name = "both", .features = {"ib", "nvme"}},
                    {.name = "any", .features = {"ib"}}};
    EXPECT_EQ(flavor_of(spec, spec.nodes[0]), 0U);
    EXPECT_EQ(flavor_of(spec, spec.nodes[1]), 1U);
    spec.flavors = {{.name = "a", .gpu_type = "v100"},
                    {.name = "named", .nodes = {"fat1", "lean1"}}};
    EXPECT_EQ(flavor_of(spec, spec.nodes[0]), 1U);
    EXPECT_EQ(flavor_of(spec, spec.nodes[1]), 0U);
    spec.nodes.edit(1).gone = true;
    EXPECT_EQ(flavor_of(spec, spec.nodes[1]), std::nullopt);
}

TEST(FlavorNodes, TellWhetherAllAreOfOne) {
    ClusterSpec spec = two_nodes();
    EXPECT_FALSE(FlavorNodes(spec).any());
    spec.flavors = {{.name = "none", .features = {"none"}}, {.name = "fat", .nodes = {"fat1"}}};
    const FlavorNodes flavors(spec);
    EXPECT_EQ(flavors.of(NodeId(0)), 1U);
    EXPECT_EQ(flavors.of(NodeId(1)), FlavorChoice::kNone);
    EXPECT_EQ(flavors.of(NodeId(9)), FlavorChoice::kNone);
    BitSet fat(2), both = BitSet::all(2);
    fat.set(0);
    EXPECT_EQ(flavors.of_all({fat, fat}), 1U);
    EXPECT_EQ(flavors.of_all({fat, both}), FlavorChoice::kNone);
    EXPECT_EQ(flavors.of_all({both}), FlavorChoice::kNone);
    EXPECT_EQ(flavors.of_all({}), FlavorChoice::kNone);
}

TEST(Flavor, IsNamedByTheTres) {
    const std::vector<FlavorSpec> flavors = {{.name = "fat"}, {.name = "gpu-a100"}};
    EXPECT_EQ(flavor_in(flavors, "cpu:gpu-a100"), 1U);
    EXPECT_EQ(flavor_in(flavors, "gres/gpu:fat"), 0U);
    EXPECT_EQ(flavor_in(flavors, "gres/gpu:a100"), std::nullopt);
    EXPECT_EQ(flavor_in(flavors, "license/fat"), std::nullopt);
    EXPECT_EQ(flavor_in(flavors, "cpu"), std::nullopt);
    EXPECT_TRUE(is_flavor_name("gpu-a100.b_2"));
    for (const char* const name : {"", "Fat", "a b", "a:b", "a=b"})
        EXPECT_FALSE(is_flavor_name(name));
}

// Limits of accounts and QOS have no flavors.
TEST(Flavor, StandsInQuotasOfQueuesAlone) {
    const auto counts =
        parse_flavored_counts("mem:fat=2T,cpu:fat=256,cpu=4,node:fat=2,gres/gpu:fat=8");
    ASSERT_TRUE(counts);
    EXPECT_EQ(to_text(*counts), "cpu=4,cpu:fat=256,mem:fat=2T,node:fat=2,gres/gpu:fat=8");
    for (const char* const text : {"cpu:=4", "cpu:a b=4", "billing:fat=4", "mem:fat=two"})
        EXPECT_FALSE(parse_flavored_counts(text)) << text;
    EXPECT_FALSE(parse_tres_counts("cpu:fat=4"));
}

TEST(Flavor, HasWhatItsNodesHave) {
    ClusterSpec spec = two_nodes();
    spec.flavors = {{.name = "fat", .nodes = {"fat1"}}};
    EXPECT_EQ(cluster_capacity(spec, "cpu:fat"), 64);
    EXPECT_EQ(cluster_capacity(spec, "mem:fat"), 512 * 1024);
    EXPECT_EQ(cluster_capacity(spec, "node:fat"), 1);
    EXPECT_EQ(cluster_capacity(spec, "gres/gpu:fat"), 8);
    EXPECT_EQ(cluster_capacity(spec, "gres/gpu"), 12);
    EXPECT_EQ(cluster_capacity(spec, "cpu:lean"), std::nullopt);
}

TEST(Flavor, IsSaidOfAChoice) {
    ClusterSpec spec = two_nodes();
    spec.flavors = {{.name = "fat", .nodes = {"fat1"}}};
    const auto type = static_cast<std::uint8_t>(spec.dimensions.of_name("gpu").back().index());
    EXPECT_EQ(flavor_text(spec, {}), "");
    EXPECT_EQ(flavor_text(spec, {.flavor = 0, .gres_type = type}), ", flavor fat, gpu:v100");
    EXPECT_EQ(flavor_text(spec, {.flavor = kOtherNodes}), ", nodes of no flavor");
    EXPECT_EQ(flavor_text(spec, {.flavor = 7}), "");
}

}  // namespace
}  // namespace berth
