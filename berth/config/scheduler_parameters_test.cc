#include "berth/config/scheduler_parameters.h"

#include <gtest/gtest.h>

#include <set>

#include "berth/base/text.h"
#include "berth/config/config_rig.h"
#include "berth/config/load.h"

namespace berth::config {
namespace {

constexpr const char* kOneNode =
    "ClusterName=lab\nNodeName=n1 CPUs=4\nPartitionName=main Nodes=ALL Default=YES\n";

Loaded load_parameters(const std::string& parameters) {
    ConfigFiles files;
    files.slurm = ConfigText{"slurm.conf", kOneNode + ("SchedulerParameters=" + parameters + "\n")};
    return load(files);
}

struct Honoured {
    const char* text;
    bool (*holds)(const SchedulingSpec& spec);
};
const Honoured kHonoured[] = {
    {"bf_max_job_test=77", [](auto& s) { return s.plan_depth == 77; }},
    {"BF_MAX_JOB_TEST=77", [](auto& s) { return s.plan_depth == 77; }},
    {"bf_max_job_user=3", [](auto& s) { return s.planning.depth_per_user == 3; }},
    {"bf_max_job_part=3", [](auto& s) { return s.planning.depth_per_partition == 3; }},
    {"bf_job_part_count_reserve=2,bf_max_job_part=3",
     [](auto& s) { return s.planning.depth_per_partition == 2; }},
    {"bf_max_job_part=0,bf_job_part_count_reserve=0",
     [](auto& s) { return s.planning.depth_per_partition == 0; }},
    {"bf_max_job_user_part=4",
     [](auto& s) { return s.planning.depth_per_user_and_partition == 4; }},
    {"bf_max_job_assoc=5", [](auto& s) { return s.planning.depth_per_association == 5; }},
    {"bf_min_age_reserve=60",
     [](auto& s) { return s.planning.min_age == std::chrono::minutes(1); }},
    {"bf_min_prio_reserve=1000", [](auto& s) { return s.planning.min_priority == 1000; }},
    {"bf_max_job_start=9,sched_max_job_start=8",
     [](auto& s) { return s.planning.starts_max == 8; }},
    {"bf_max_job_start=9,bf_interval=5",
     [](auto& s) { return s.planning.starts_pause == std::chrono::seconds(5) && s.backfill; }},
    {"bf_interval=-1", [](auto& s) { return !s.backfill; }},
    {"bf_window=60", [](auto& s) { return s.plan_window == std::chrono::hours(1); }},
    {"sched_min_interval=2", [](auto& s) { return s.planning.cycle_pause == Duration{}; }},
    {"sched_min_interval=2000000",
     [](auto& s) { return s.planning.cycle_pause == std::chrono::seconds(2); }},
    {"sched_min_interval=1500001",
     [](auto& s) { return s.planning.cycle_pause == Duration(1501); }},
    {"batch_sched_delay=3,defer",
     [](auto& s) { return s.planning.submission_wait == std::chrono::seconds(3); }},
    {"defer", [](auto& s) { return s.planning.submission_wait == Duration(1); }},
    {"max_switch_wait=0", [](auto& s) { return s.planning.switches_wait_max == Duration{}; }},
};

TEST(SchedulerParameters, SetWhatTheySay) {
    for (const Honoured& one : kHonoured) {
        const Loaded loaded = load_parameters(one.text);
        EXPECT_EQ(text_of(loaded), "") << one.text;
        EXPECT_TRUE(one.holds(loaded.spec.scheduling)) << one.text;
    }
}

TEST(SchedulerParameters, WithoutAPartToPlaySayWhy) {
    EXPECT_EQ(
        text_of(load_parameters("bf_yield_interval=2000000")),
        "slurm.conf:4: warning: SchedulerParameters: bf_yield_interval=2000000 has no effect: "
        "nothing waits for the scheduler: readers have a copy of their own, and requests are "
        "handled between cycles\n");
    EXPECT_EQ(text_of(load_parameters("bf_interval=30")),
              "slurm.conf:4: warning: SchedulerParameters: bf_interval has no effect without "
              "bf_max_job_start: the plan follows every event\n");
    EXPECT_EQ(text_of(load_parameters("pack_serial_at_end")),
              "slurm.conf:4: warning: SchedulerParameters: pack_serial_at_end has no effect yet\n");
    const SchedulingSpec plain = load_parameters("").spec.scheduling;
    for (const SchedulerParameter& one : scheduler_parameters()) {
        if (one.set != nullptr) continue;
        const Loaded loaded = load_parameters(std::string(one.name) + "=1");
        ASSERT_EQ(loaded.findings.size(), 1U) << one.name;
        EXPECT_EQ(loaded.findings[0].severity, Severity::warning) << one.name;
        EXPECT_EQ(loaded.spec.scheduling, plain) << one.name;
    }
}

TEST(SchedulerParameters, RefuseWhatTheyCannotBe) {
    for (const char* wrong : {"bf_max_job_test=0", "bf_max_job_user", "bf_window=ten",
                              "bf_interval=-2", "max_switch_wait=-1", "batch_sched_delay="}) {
        const Loaded loaded = load_parameters(wrong);
        ASSERT_GE(loaded.findings.size(), 1U) << wrong;
        EXPECT_EQ(loaded.findings[0].severity, Severity::error) << wrong;
        EXPECT_NE(loaded.findings[0].message.find("should be a whole number from"),
                  std::string::npos)
            << wrong;
    }
}

TEST(SchedulerParameters, AreEachThereOnce) {
    std::set<std::string> seen;
    for (const SchedulerParameter& one : scheduler_parameters()) {
        EXPECT_TRUE(seen.insert(to_lower(one.name)).second) << one.name;
    }
    for (const char* name : {"bf_max_job_test",
                             "bf_max_job_user",
                             "bf_max_job_part",
                             "bf_max_time",
                             "bf_interval",
                             "bf_window",
                             "bf_resolution",
                             "bf_continue",
                             "bf_yield_interval",
                             "max_switch_wait",
                             "defer",
                             "batch_sched_delay",
                             "sched_interval",
                             "bf_max_job_start",
                             "bf_max_job_user_part",
                             "bf_max_job_assoc",
                             "bf_min_age_reserve",
                             "bf_node_space_size",
                             "bf_busy_nodes",
                             "default_queue_depth"}) {
        ASSERT_NE(find_scheduler_parameter(name), nullptr) << name;
        const SchedulerParameter& one = *find_scheduler_parameter(name);
        EXPECT_TRUE(one.set != nullptr || !one.why.empty()) << name << " is neither";
    }
}

}  // namespace
}  // namespace berth::config
