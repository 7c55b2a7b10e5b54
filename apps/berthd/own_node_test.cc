#include "apps/berthd/own_node.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(OwnNode, IsTheOneOfThisHostAlone) {
    ClusterSpec spec;
    for (const auto& [name, hostname] :
         {std::pair("head", "head"), {"gpu1", "gpu1"}, {"alias", "head"}, {"far", "far.org"}}) {
        NodeSpec& node = spec.nodes.push_back({});
        node.name = name;
        node.hostname = hostname;
    }
    struct OwnNodeCase {
        const char *node, *named, *host;
        bool is_own;
    };
    for (const OwnNodeCase& one :
         {OwnNodeCase{"head", "", "head", true},
          {"head", "", "head.cluster.org", true},
          {"alias", "", "head.cluster.org", true},
          {"far", "", "far.org", true},
          {"gpu1", "", "head", false},
          {"gpu1", "gpu1", "head", true},
          {"head", "gpu1", "head", false},
          {"new", "", "new", true},  // A dynamic node may join without being configured.
          {"new", "", "head", false},
          {"hea", "", "head", false},
          {"", "", "", false}}) {
        EXPECT_EQ(is_own_node(spec, one.node, one.named, one.host), one.is_own)
            << one.node << " named " << one.named << " on " << one.host;
    }
    // A node whose NodeHostname is another host is not of this host, whatever its name.
    spec.nodes.edit(1).name = "head2";
    EXPECT_FALSE(is_own_node(spec, "head2", "", "head2"));
}

}  // namespace
}  // namespace berth
