// Which of several partitions (-p a,b) a job keeps, and in which one it stands first.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

// "main" of two nodes, and "debug" of one of them, for half an hour.
ClusterSpec main_and_debug() {
    ClusterSpec spec = testing::make_cluster(2);
    spec.partitions[0].max_time = hours(48);
    spec.partitions[0].default_time = hours(1);
    spec.partitions.push_back({.name = "debug", .nodes = {NodeId(1)}, .max_time = minutes(30)});
    return spec;
}

class AdmissionToSeveral : public ::testing::Test {
protected:
    AdmissionToSeveral() { install(main_and_debug()); }
    void install(ClusterSpec spec) {
        state_ = ClusterState();
        state_.apply(kNow, SpecInstalled{std::move(spec)});
    }
    Job admitted(const JobSpec& spec) const {
        auto job = admit(state_, kNow, owner_, spec);
        if (const auto* no = std::get_if<Refusing>(&job)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        return std::get<Job>(job);
    }
    std::optional<Refusal> why(const JobSpec& spec) const {
        const auto job = admit(state_, kNow, owner_, spec);
        const auto* const no = std::get_if<Refusing>(&job);
        return no == nullptr ? std::nullopt : std::optional(no->why);
    }

    ClusterState state_;
    Principal owner_{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
};

TEST_F(AdmissionToSeveral, OfSeveralPartitionsThoseThatTakeTheJobRemain) {
    const auto limit = [](Duration time) { return JobRequest{.time_limit = time}; };
    const Job both = admitted({.partition = "debug, main,,debug", .request = limit(hours(2))});
    EXPECT_EQ(both.spec.partition, "debug,main");  // Over debug's MaxTime: it waits for that.
    EXPECT_EQ(both.partition, PartitionId(1));
    EXPECT_EQ(why({.partition = "main,nosuch"}), Refusal::unknown_partition);
    EXPECT_EQ(why({.partition = ","}), Refusal::unknown_partition);
    ClusterSpec spec = main_and_debug();
    spec.partitions[1].allow_groups = {"staff"};
    spec.partitions[1].priority_tier = 2;
    install(spec);
    EXPECT_EQ(admitted({.partition = "debug,main"}).spec.partition, "main");
    spec.partitions[1].allow_groups.clear();
    install(spec);
    const Job higher = admitted({.partition = "main,debug"});
    EXPECT_EQ(higher.spec.partition, "main,debug");
    EXPECT_EQ(higher.partition, PartitionId(1));
    EXPECT_EQ(higher.time_limit, minutes(30));  // Its own default.
}

TEST_F(AdmissionToSeveral, EnforcePartLimitsIsOfOneOrOfAllOfSeveralPartitions) {
    const JobSpec two_hours{.partition = "debug,main",
                            .request = JobRequest{.time_limit = hours(2)}};
    const JobSpec three_days{.partition = "debug,main",
                             .request = JobRequest{.time_limit = hours(72)}};
    ClusterSpec spec = main_and_debug();
    spec.scheduling.enforce_part_limits = "ANY";
    install(spec);
    EXPECT_EQ(admitted(two_hours).spec.partition, "main");
    EXPECT_EQ(why(three_days), Refusal::time_limit_too_long);
    spec.scheduling.enforce_part_limits = "ALL";
    install(spec);
    EXPECT_EQ(why(two_hours), Refusal::time_limit_too_long);
    spec.scheduling.enforce_part_limits = "NO";
    install(spec);
    EXPECT_EQ(admitted(three_days).spec.partition, "debug,main");
}

TEST_F(AdmissionToSeveral, AnUpdateMayNameSeveralPartitions) {
    const Job job = admitted({});
    state_.apply(kNow, JobSubmitted{job});
    const JobId id = job.id;
    JobUpdated update{.job = id};
    update.partitions = "debug,main";
    auto answer = admit_update(state_, kNow, update, false);
    ASSERT_TRUE(std::holds_alternative<JobUpdated>(answer));
    state_.apply(kNow, std::get<JobUpdated>(answer));
    EXPECT_EQ(state_.find_job(id)->spec.partition, "debug,main");
    EXPECT_EQ(state_.find_job(id)->partition, PartitionId(1));
    EXPECT_EQ(state_.find_job(id)->time_limit, minutes(30)) << "of the partition, as it names none";
    update.partitions = "main,nosuch";
    answer = admit_update(state_, kNow, update, false);
    EXPECT_TRUE(std::holds_alternative<Refusing>(answer));
}

TEST_F(AdmissionToSeveral, AnUpdateToAnotherPartitionTakesItsTimeLimitWithIt) {
    Job job = admitted({.partition = "debug,main"});
    state_.apply(kNow, JobSubmitted{job});
    ASSERT_EQ(job.time_limit, minutes(30));
    JobUpdated update{.job = job.id, .partition = PartitionId(0)};
    auto answer = admit_update(state_, kNow, update, false);
    ASSERT_TRUE(std::holds_alternative<JobUpdated>(answer));
    state_.apply(kNow, std::get<JobUpdated>(answer));
    EXPECT_EQ(state_.find_job(job.id)->spec.partition, "main");
    EXPECT_EQ(state_.find_job(job.id)->time_limit, hours(1));
    job = admitted({.partition = "debug,main", .request = JobRequest{.time_limit = minutes(20)}});
    state_.apply(kNow, JobSubmitted{job});
    update.job = job.id;
    state_.apply(kNow, std::get<JobUpdated>(admit_update(state_, kNow, update, false)));
    EXPECT_EQ(state_.find_job(job.id)->time_limit, minutes(20)) << "its own stays";
}

TEST_F(AdmissionToSeveral, AnUpdateThatNamesNoneLeavesThoseThatDoNotTakeTheJobAnyMore) {
    ClusterSpec spec = main_and_debug();
    spec.qos.push_back({.name = "high"});
    spec.partitions[1].allow_qos = {"high"};
    install(spec);
    const auto updated = [&](const std::string& partitions, auto change) -> std::string {
        Job job = admitted({.partition = partitions, .qos = "high"});
        state_.apply(kNow, JobSubmitted{job});
        JobUpdated update{.job = job.id};
        change(update);
        const auto answer = admit_update(state_, kNow, update, false);
        if (const auto* no = std::get_if<Refusing>(&answer)) return no->message;
        state_.apply(kNow, std::get<JobUpdated>(answer));
        const Job& now = *state_.find_job(job.id);
        return *now.spec.partition + " in " + state_.spec().partition(now.partition).name;
    };
    const auto to_normal = [](JobUpdated& update) { update.qos = QosId(0); };
    EXPECT_EQ(updated("main,debug", to_normal), "main in main");
    EXPECT_EQ(updated("debug,main", to_normal), "main in main");
    EXPECT_EQ(updated("main,debug", [](JobUpdated& update) { update.qos = QosId(1); }),
              "main,debug in main");
    EXPECT_EQ(updated("debug,main", [](JobUpdated& update) { update.nodelist = {"node1"}; }),
              "main in main")
        << "debug has only node2";
    EXPECT_EQ(updated("main,debug", [](JobUpdated& update) { update.nodelist = {"node2"}; }),
              "main,debug in main");
    EXPECT_EQ(updated("debug,main", [](JobUpdated& update) { update.name = "other"; }),
              "debug,main in debug");
    spec.scheduling.enforce_part_limits = "ALL";
    install(spec);
    EXPECT_EQ(updated("main,debug", to_normal), "partition debug is not open to QOS normal");
}

TEST_F(AdmissionToSeveral, AComponentOfAHeterogeneousJobKeepsToOnePartition) {
    Job job = admitted({});
    job.het = HetComponent{.first = job.id, .offset = 0, .size = 1};
    state_.apply(kNow, JobSubmitted{job});
    JobUpdated update{.job = job.id};
    update.partitions = "debug,main";
    const auto answer = admit_update(state_, kNow, update, true);
    ASSERT_TRUE(std::holds_alternative<Refusing>(answer));
    EXPECT_EQ(std::get<Refusing>(answer).why, Refusal::not_supported);
    EXPECT_EQ(std::get<Refusing>(answer).message,
              "a list of partitions is not supported yet in a heterogeneous job");
}

}  // namespace
}  // namespace berth
