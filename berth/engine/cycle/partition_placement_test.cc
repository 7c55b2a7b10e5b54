// A partition's own placement: LLN.
#include "berth/engine/cycle/lending_rig.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class LeastLoadedNodes : public LentCores {
protected:
    static ClusterSpec cluster() {
        ClusterSpec spec = lending_cluster(3);
        spec.scheduling.preemption = {};
        spec.partitions[1].least_loaded_nodes = true;  // "high"
        return spec;
    }
    LeastLoadedNodes() : LentCores(cluster()) {}

    NodeId node_of_run(const std::string& partition, std::uint32_t cpus) {
        return job(run(partition, {.cpus = cpus, .limit = 1h})).nodes.front();
    }
};

TEST_F(LeastLoadedNodes, AreForThePartitionThatWantsThem) {
    EXPECT_EQ(node_of_run("main", 4), NodeId(0));
    EXPECT_EQ(node_of_run("main", 1), NodeId(0)) << "the fullest";
    EXPECT_EQ(node_of_run("high", 2), NodeId(1)) << "8 of 8 CPUs are idle, as on the next";
    EXPECT_EQ(node_of_run("high", 1), NodeId(2));
    EXPECT_EQ(node_of_run("high", 1), NodeId(2)) << "7 of 8, to 6 of 8";
    EXPECT_EQ(node_of_run("high", 1), NodeId(1));
}

TEST_F(LeastLoadedNodes, ComeAfterTheLowestWeight) {
    NodeChange heavy;
    heavy.weight = 5;
    engine.apply(now, ClusterEdited{{.partitions = {},
                                     .nodes = {{.name = "node2", .change = heavy},
                                               {.name = "node3", .change = heavy}}}});
    EXPECT_EQ(node_of_run("high", 4), NodeId(0));
    EXPECT_EQ(node_of_run("high", 2), NodeId(0));
}

TEST_F(LeastLoadedNodes, MayBeWantedLater) {
    EXPECT_EQ(node_of_run("main", 4), NodeId(0));
    PartitionChange change;
    change.least_loaded_nodes = true;
    engine.apply(now, ClusterEdited{{.partitions = {{.name = "main", .change = change}}}});
    EXPECT_EQ(node_of_run("main", 1), NodeId(1));
}

}  // namespace
}  // namespace berth
