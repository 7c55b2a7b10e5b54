#include "berth/slurm/show/partition_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "berth/model/partition_keys.h"

namespace berth::slurm {
namespace {

std::string partition_text_of(const api::PartitionRow& partition) {
    std::ostringstream out;
    print_partition(out, partition, true);
    return out.str();
}

TEST(PartitionText, IsThatOfSlurm) {
    api::PartitionRow partition;
    partition.name = "main";
    partition.state = "UP";
    partition.is_default = true;
    partition.nodes = {"gpu1", "gpu2"};
    partition.total_cpus = 16;
    partition.oversubscribe = "NO";
    partition.tres = "cpu=16";
    EXPECT_EQ(partition_text_of(partition),
              "PartitionName=main AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL AllocNodes=ALL "
              "Default=YES QoS=N/A DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO "
              "ExclusiveTopo=NO GraceTime=0 Hidden=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED "
              "MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED MaxCPUsPerSocket=UNLIMITED "
              "Nodes=gpu[1-2] PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO "
              "OverSubscribe=NO OverTimeLimit=NONE PreemptMode=OFF State=UP TotalCPUs=16 "
              "TotalNodes=2 SelectTypeParameters=NONE JobDefaults=(null) DefMemPerNode=UNLIMITED "
              "MaxMemPerNode=UNLIMITED TRES=cpu=16\n");
    partition.qos = "gold";
    partition.least_loaded_nodes = true;
    partition.alloc_nodes = {"login1", "login2"};
    partition.over_time_limit = std::chrono::minutes(5);
    partition.disable_root_jobs = partition.requires_reservation = true;
    partition.default_time = std::chrono::hours(30);
    partition.max_nodes = 4;
    partition.deny_accounts = {"bio", "physics"};
    partition.allow_qos = {"high"};
    partition.default_memory_per_cpu = std::int64_t{2048} << 20;
    const std::string text = partition_text_of(partition);
    for (const char* part :
         {" LLN=YES ", " AllocNodes=login[1-2] ", " OverTimeLimit=5 ", " QoS=gold ",
          " DisableRootJobs=YES ", " ReqResv=YES ", " DefaultTime=1-06:00:00 ", " MaxNodes=4 ",
          " DenyAccounts=bio,physics ", " AllowQos=high ",
          " DefMemPerCPU=2048 MaxMemPerNode=UNLIMITED "}) {
        EXPECT_NE(text.find(part), text.npos) << part << text;
    }
    EXPECT_EQ(text.find("AllowAccounts"), text.npos);
    EXPECT_EQ(text.find("DefMemPerNode"), text.npos);
}

TEST(PartitionText, HasTheFieldOfEachKey) {
    const api::PartitionRow partition;
    for (const PartitionKey& key : partition_keys()) {
        bool found = key.field.empty();
        with_field(partition, key.field, [&](const auto&) { found = true; });
        EXPECT_TRUE(found) << key.name;
    }
}

}  // namespace
}  // namespace berth::slurm
