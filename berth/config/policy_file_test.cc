#include <gtest/gtest.h>

#include <algorithm>

#include "berth/config/config_rig.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

constexpr const char* kCluster =
    "ClusterName=lab\nPriorityWeightAge=1000\nPriorityWeightQOS=5\n"
    "NodeName=n[1-2] CPUs=16 Sockets=2 CoresPerSocket=8 RealMemory=64000 Gres=gpu:a100:4\n"
    "GresTypes=gpu\nPartitionName=main Nodes=ALL Default=YES\n";

Loaded with(const std::string& name, const std::string& text) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", kCluster};
    files.berth = ConfigText{"berth.yaml", "order: qssf\n"};
    return load_with_policy(files, {name, text});
}

std::int64_t weight_of(const ClusterSpec& spec, std::string_view name) {
    const auto found = std::ranges::find(spec.scheduling.rules, name, &RuleSpec::name);
    return found == spec.scheduling.rules.end() ? 0 : found->weight;
}

TEST(PolicyFile, StandsAboveTheClustersOwn) {
    const Loaded loaded = with("try.conf",
                               "# Older jobs first.\nPriorityWeightAge=7\n"
                               "SchedulerType=sched/builtin\n");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(weight_of(loaded.spec, "age"), 7);
    EXPECT_EQ(weight_of(loaded.spec, "qos"), 5);
    EXPECT_FALSE(loaded.spec.scheduling.backfill);
    EXPECT_EQ(loaded.spec.nodes.size(), 2U);
}

TEST(PolicyFile, MayBeYaml) {
    const Loaded loaded = with(
        "try.yaml", "order: {rule: least_attained, first: 100, second: 1000}\nhold_after: 1-0\n");
    EXPECT_EQ(text_of(loaded), "");
    const auto& rules = loaded.spec.scheduling.rules;
    EXPECT_EQ(std::ranges::count(rules, "order", &RuleSpec::kind), 1);  // Not qssf.
    EXPECT_EQ(weight_of(loaded.spec, "least_attained"), 1);
    EXPECT_EQ(loaded.spec.scheduling.planning.hold_after, std::chrono::hours(24));
}

TEST(PolicyFile, SaysWhatIsWrongAtItsFileAndLine) {
    EXPECT_EQ(text_of(with("try.conf", "PriorityType=priority/best\n")),
              "try.conf:1: error: PriorityType=priority/best should be priority/multifactor or "
              "priority/basic\n");
    EXPECT_EQ(text_of(with("try.conf", "\n\nPriorityWeightAge=many\n")),
              "try.conf:3: error: PriorityWeightAge=many should be a whole number from "
              "-4294967295 to 4294967295\n");
    EXPECT_TRUE(text_of(with("try.conf", "PriorityWeightAgge=1\n"))
                    .starts_with("try.conf:1: error: there is no option PriorityWeightAgge"));
    EXPECT_TRUE(text_of(with("try.conf", "NodeName=n3 CPUs=4\n"))
                    .starts_with("try.conf:1: error: a policy has no NodeName; it has Priority*"));
    EXPECT_TRUE(text_of(with("try.conf", "ClusterName=x\n"))
                    .starts_with("try.conf:1: error: a policy has no ClusterName"));
    EXPECT_TRUE(text_of(with("try.yaml", "hold_after: 1-0\nnodes: []\n"))
                    .starts_with("try.yaml:2: error: a policy has no nodes; it has order"));
    EXPECT_TRUE(text_of(with("try.yaml", "\norder: best\n")).starts_with("try.yaml:2: error: "))
        << text_of(with("try.yaml", "\norder: best\n"));
    EXPECT_TRUE(text_of(with("try.yaml", "order: [\n")).starts_with("try.yaml:"));
}

}  // namespace
}  // namespace berth::config
