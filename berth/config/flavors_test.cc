#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

constexpr const char* kNodes =
    "ClusterName=lab\nGresTypes=gpu\n"
    "NodeName=a[1-2] CPUs=8 RealMemory=1000 Gres=gpu:a100:4 Feature=ib\n"
    "NodeName=v[1-2] CPUs=8 RealMemory=1000 Gres=gpu:v100:4\n"
    "PartitionName=main Nodes=ALL Default=YES MaxTime=1-0\n";
constexpr const char* kGpus =
    "NodeName=a[1-2] Name=gpu Type=a100 Count=4\nNodeName=v[1-2] Name=gpu Type=v100 Count=4\n";

Loaded load_flavors(const std::string& flavors, const std::string& more = "") {
    return load_slurm(kNodes, kGpus, "", "", "flavors:\n" + flavors + more);
}

TEST(Flavors, AreNodesFeaturesAndTypesOfGpus) {
    const Loaded loaded = load_flavors(R"(
  New: {gpu_type: A100, features: [ib]}
  old: {nodes: 'v[1-2]'}
)");
    EXPECT_EQ(text_of(loaded), "");
    const std::vector<FlavorSpec> expected = {
        {.name = "new", .features = {"ib"}, .gpu_type = "a100"},
        {.name = "old", .nodes = {"v1", "v2"}}};
    EXPECT_EQ(loaded.spec.flavors, expected);
}

TEST(Flavors, MayBeNamedByQuotas) {
    const std::string queues =
        "accounts:\n  - {name: lab}\nqueues:\n  lab: {nominal: 'cpu:new=8,gres/gpu:new=4'}\n"
        "enforce_limits: yes\n";
    EXPECT_EQ(text_of(load_flavors("  new: {gpu_type: a100}\n", queues)), "");
    EXPECT_EQ(
        text_of(load_flavors("  other: {gpu_type: a100}\n", queues)),
        "berth.yaml:6: error: nominal: cpu:new=8,gres/gpu:new=4 names cpu:new, which this "
        "cluster does not have\n"
        "berth.yaml:6: error: nominal: cpu:new=8,gres/gpu:new=4 names gres/gpu:new, which this "
        "cluster does not have\n");
}

TEST(Flavors, RefuseWhatIsNotThere) {
    struct Case {
        const char* flavors;
        const char* says;
    };
    for (const auto& [flavors, says] : {
             Case{"  new: {gpu_type: h100}\n", "gpu_type: no node has GPUs of type h100"},
             Case{"  new: {nodes: 'b[1-2]'}\n", "nodes: there is no node b1"},
             Case{"  new: {nodes: 'a[1-'}\n", "nodes: "},
             Case{"  new: {}\n", "flavor new should say nodes, features or gpu_type"},
             Case{"  new: {nodes: a1, labels: x}\n",
                  "there is no option labels of a flavor; there are nodes, features, gpu_type"},
             Case{"  new: {nodes: }\n", "nodes of flavor new has no value"},
             Case{"  'a b': {nodes: a1}\n", "should have a name of letters, digits, '-', '_', '.'"},
             Case{"  a100: {nodes: a1}\n", "flavor a100 has the name of a type of gpu"},
             Case{"  new: a1\n", "flavor new should be a map with nodes, features, gpu_type"},
             Case{"  new: {nodes: a1}\n  NEW: {nodes: a2}\n", "flavor new is described twice"},
         }) {
        const Loaded loaded = load_flavors(flavors);
        EXPECT_TRUE(loaded.has_errors) << flavors;
        EXPECT_NE(text_of(loaded).find(says), std::string::npos) << says << "\n" << text_of(loaded);
    }
    EXPECT_EQ(
        text_of(load_flavors("  one: {nodes: 'a[1-2]'}\n  two: {features: [ib]}\n")),
        "berth.yaml:3: warning: no node is of flavor two, or all that fit are of one before it\n");
}

}  // namespace
}  // namespace berth::config
