#include "berth/model/partition_keys.h"

#include <gtest/gtest.h>

#include <set>

namespace berth {
namespace {

using Strings = std::vector<std::string>;
using namespace std::chrono_literals;

// The partition that one key of slurm.conf makes; or what would be right.
Result<PartitionSpec> partition_with(const char* key, const char* value) {
    PartitionChange change;
    BERTH_CHECK(set_value(change, *find_partition_key(key), value));
    BERTH_CHECK(check(change));
    PartitionSpec partition;
    apply_change(partition, change);
    return partition;
}

bool is_field(auto& all, std::string_view name) {
    bool found = false;
    with_field(all, name, [&](auto&) { found = true; });
    return found;
}

TEST(PartitionKeys, NameFieldsThatPartitionsHave) {
    PartitionSpec spec;
    PartitionChange change;
    std::set<std::string_view> names;
    for (const PartitionKey& key : partition_keys()) {
        EXPECT_TRUE(names.insert(key.name).second) << key.name;
        EXPECT_EQ(find_partition_key(key.name), &key);
        if (key.field.empty()) continue;
        EXPECT_TRUE(is_field(spec, key.field)) << key.name;
        const bool is_changed_otherwise =
            key.value == PartitionValue::name || key.value == PartitionValue::oversubscribe;
        EXPECT_EQ(is_field(change, key.field), !is_changed_otherwise) << key.name;
    }
    EXPECT_EQ(find_partition_key("maxtime")->name, "MaxTime");
    EXPECT_EQ(find_partition_key("MaxTimes"), nullptr);
}

TEST(PartitionKeys, SetWhatTheySay) {
    EXPECT_EQ(partition_with("Default", "yes")->is_default, true);
    EXPECT_EQ(partition_with("MaxTime", "2:00:00")->max_time, Duration(2h));
    EXPECT_EQ(partition_with("MaxTime", "UNLIMITED")->max_time, std::nullopt);
    EXPECT_EQ(partition_with("DefaultTime", "none")->default_time, std::nullopt);
    EXPECT_EQ(partition_with("MinNodes", "2")->min_nodes, 2U);
    EXPECT_EQ(partition_with("MaxNodes", "4")->max_nodes, 4U);
    EXPECT_EQ(partition_with("MaxNodes", "UNLIMITED")->max_nodes, std::nullopt);
    EXPECT_EQ(partition_with("State", "drain")->state, PartitionState::drain);
    EXPECT_EQ(partition_with("Priority", "9")->priority_job_factor, 9);
    EXPECT_EQ(partition_with("Priority", "9")->priority_tier, 9);
    EXPECT_EQ(partition_with("PriorityTier", "9")->priority_job_factor, 1);
    EXPECT_EQ(partition_with("DefMemPerCPU", "2")->default_memory_per_cpu, mib(2));
    EXPECT_EQ(partition_with("MaxMemPerNode", "0")->max_memory_per_node, std::nullopt);
    EXPECT_EQ(partition_with("AllowAccounts", "Bio, Physics")->allow_accounts,
              (Strings{"bio", "physics"}));
    EXPECT_EQ(partition_with("AllowQos", "High")->allow_qos, Strings{"High"});
    EXPECT_EQ(partition_with("AllowGroups", "ALL")->allow_groups, Strings{});
    EXPECT_EQ(partition_with("AllocNodes", "login[1-2]")->alloc_nodes,
              (Strings{"login1", "login2"}));
    EXPECT_EQ(partition_with("AllocNodes", "ALL")->alloc_nodes, Strings{});
    EXPECT_EQ(partition_with("OverTimeLimit", "5")->over_time_limit, Duration(5min));
    EXPECT_EQ(partition_with("OverTimeLimit", "0")->over_time_limit, Duration(0));
    EXPECT_EQ(partition_with("OverTimeLimit", "none")->over_time_limit, std::nullopt);
    EXPECT_TRUE(partition_with("Shared", "exclusive")->exclusive);
    EXPECT_FALSE(partition_with("Shared", "exclusive")->ignores_exclusive());
    EXPECT_TRUE(partition_with("OverSubscribe", "force:1")->ignores_exclusive());
    EXPECT_FALSE(partition_with("OverSubscribe", "force:1")->exclusive);
    EXPECT_FALSE(partition_with("OverSubscribe", "no")->ignores_exclusive());
    EXPECT_EQ(partition_with("OverSubscribe", "force:3")->oversubscribe, "FORCE:3");
    EXPECT_EQ(partition_with("OverSubscribe", "Force")->oversubscribe, "FORCE:4");
    EXPECT_TRUE(partition_with("OverSubscribe", "FORCE")->ignores_exclusive());
    EXPECT_EQ(partition_with("OverSubscribe", "yes")->oversubscribe, "YES:4");
    EXPECT_FALSE(partition_with("OverSubscribe", "YES:2")->ignores_exclusive());
    EXPECT_EQ(partition_with("OverSubscribe", "YES:1")->oversubscribe, "NO");
}

TEST(PartitionKeys, SayWhatWouldBeRight) {
    struct Case {
        const char *key, *value, *says;
    };
    const Case cases[] = {
        {"Default", "maybe", "Default=maybe should be YES or NO"},
        {"State", "ASLEEP", "State=ASLEEP should be UP, DOWN, DRAIN or INACTIVE"},
        {"MaxNodes", "-1", "MaxNodes=-1 should be a whole number from 0 to 65536"},
        {"PriorityTier", "65534", "PriorityTier=65534 should be a whole number from 0 to 65533"},
        {"Priority", "x", "Priority=x should be a whole number from 0 to 65533"},
        {"OverSubscribe", "FORCE:0",
         "OverSubscribe=FORCE:0 should be NO, EXCLUSIVE, YES or FORCE; :N behind the last two, "
         "from 1 to 64"},
        {"OverSubscribe", "NO:2",
         "OverSubscribe=NO:2 should be NO, EXCLUSIVE, YES or FORCE; :N behind the last two, from 1 "
         "to 64"},
    };
    for (const Case& one : cases) {
        const auto read = partition_with(one.key, one.value);
        ASSERT_FALSE(read.ok()) << one.says;
        EXPECT_EQ(read.error().message, one.says);
    }
    EXPECT_FALSE(partition_with("MaxTime", "NONE").ok()) << "Only the default has none.";
}

}  // namespace
}  // namespace berth
