// `priority:` of berth.yaml.
#include <gtest/gtest.h>

#include "berth/config/config_rig.h"

namespace berth::config {
namespace {

constexpr const char* kSmallCluster =
    "ClusterName=x\nNodeName=n1 CPUs=8\nPartitionName=main Nodes=n1\n";

TEST(PriorityTerms, OfBerthYamlStandAboveSlurmsWeights) {
    const auto weights_of = [](const Loaded& loaded) {
        std::string text;
        for (const RuleSpec& rule : loaded.spec.scheduling.rules) {
            if (rule.kind != "priority" || rule.weight == 0 || rule.name == "site") continue;
            text += rule.name + "=" + std::to_string(rule.weight) + " ";
            for (const auto& [name, value] : rule.settings) {
                if (name == "horizon" || name == "max_age")
                    text += name + "=" + std::to_string(value) + " ";
            }
        }
        return text;
    };
    const std::string slurm =
        std::string(kSmallCluster) + "PriorityWeightAge=7\nPriorityWeightQOS=9\n";
    const Loaded loaded =
        load_slurm(slurm.c_str(), "", "", "",
                   "priority: {deadline: {weight: 5000, horizon: 60}, age: 100, size: -3}\n");
    EXPECT_EQ(text_of(loaded), "");
    EXPECT_EQ(weights_of(loaded),
              "age=100 max_age=604800 size=-3 qos=9 nice=1 deadline=5000 horizon=60 ");
    const auto setting = [&](std::string_view name) {
        for (const auto& [key, value] : loaded.spec.settings) {
            if (key == name) return value;
        }
        return std::string("none");
    };
    EXPECT_EQ(setting("PriorityWeightAge"), "100");
    EXPECT_EQ(setting("PriorityWeightQOS"), "9");
    EXPECT_EQ(setting("PriorityTerms"), "deadline=5000");
    const std::string basic = std::string(kSmallCluster) + "PriorityType=priority/basic\n";
    EXPECT_NE(text_of(load_slurm(basic.c_str(), "", "", "", "priority: {age: 1}\n"))
                  .find("set PriorityType=priority/multifactor"),
              std::string::npos);
    EXPECT_NE(text_of(load_slurm(kSmallCluster, "", "", "", "priority: {luck: 1}\n")).find("luck"),
              std::string::npos);
    EXPECT_NE(
        text_of(load_slurm(kSmallCluster, "", "", "", "priority: {age: {weight: 1, colour: 2}}\n"))
            .find("colour"),
        std::string::npos);
}

// Each would be accepted and change nothing, or take the weight away that slurm.conf gave.
TEST(PriorityTerms, NeedAWeightThatCounts) {
    for (const auto& [yaml, why] :
         {std::pair{"priority: {age: {max_age: 60}}\n", "age should have a weight"},
          std::pair{"priority: {tres: 5}\n", "tres takes no weight here"},
          std::pair{"priority: {nice: 0}\n", "nice takes no weight here"},
          std::pair{"priority: {site: 2}\n", "site takes no weight here"}}) {
        EXPECT_NE(text_of(load_slurm(kSmallCluster, "", "", "", yaml)).find(why), std::string::npos)
            << yaml;
    }
}

}  // namespace
}  // namespace berth::config
