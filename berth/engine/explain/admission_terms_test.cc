// Terms under which a job waits, and by when it must have ended.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/engine/explain/explain.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

using std::chrono::hours, std::chrono::minutes;

class Terms : public ::testing::Test {
protected:
    Terms() { install(hours(1)); }
    void install(std::optional<Duration> default_time) {
        ClusterSpec spec = testing::make_cluster(2);
        spec.partitions[0].default_time = default_time;
        install(std::move(spec));
    }
    void install(ClusterSpec spec) {
        state_ = ClusterState();
        state_.apply(kNow, SpecInstalled{std::move(spec)});
    }
    std::variant<Job, Refusing> ask(const JobSpec& spec) const {
        return admit(state_, kNow, owner_, spec);
    }
    Job admitted(const JobSpec& spec) const {
        const auto job = ask(spec);
        if (const auto* no = std::get_if<Refusing>(&job)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        return std::get<Job>(job);
    }
    Refusing refused(const JobSpec& spec) const {
        const auto job = ask(spec);
        if (std::holds_alternative<Job>(job)) {
            ADD_FAILURE() << "it was admitted";
            return {};
        }
        return std::get<Refusing>(job);
    }
    Refusal why(const JobSpec& spec) const { return refused(spec).why; }
    JobId submit(const JobSpec& spec) {
        const Job job = admitted(spec);
        state_.apply(kNow, JobSubmitted{job});
        return job.id;
    }

    ClusterState state_;
    Principal owner_{.uid = 9, .gid = 9, .user = "news", .group = "news", .role = Role::user};
};

TEST_F(Terms, RefusesToWaitForTheOutcomeOfAJobThatIsNotKnown) {
    const JobId array = submit({.array = ArraySpec{.tasks = {1, 2}}});
    for (const auto kind :
         {DependencyKind::afterok, DependencyKind::afternotok, DependencyKind::aftercorr}) {
        const Dependency gone{.kind = kind, .job = JobId(4711)};
        const Dependency no_task{.kind = kind, .job = array, .array_task = 3};
        EXPECT_EQ(why({.dependencies = {gone}}), Refusal::invalid_dependency);
        EXPECT_EQ(why({.dependencies = {{.job = array}, gone}, .any_dependency = true}),
                  Refusal::invalid_dependency);
        EXPECT_EQ(refused({.dependencies = {no_task}}).message.substr(0, 18), "there is no job 1_");
        admitted({.dependencies = {{.kind = kind, .job = array}}});
    }
}

TEST_F(Terms, RefusesAJobThatCannotEndByItsDeadline) {
    const auto with = [](Duration limit, Duration deadline) {
        JobSpec spec;
        if (limit > Duration{}) spec.request.edit().time_limit = limit;
        spec.deadline = kNow + deadline;
        return spec;
    };
    admitted(with(minutes(30), minutes(30)));
    EXPECT_EQ(why(with(minutes(30), minutes(29))), Refusal::time_limit_too_long);
    admitted(with({}, hours(1)));  // The partition's default.
    EXPECT_EQ(why(with({}, minutes(59))), Refusal::time_limit_too_long);
    JobSpec later = with(minutes(30), minutes(40));
    later.begin = kNow + minutes(11);
    EXPECT_EQ(why(later), Refusal::time_limit_too_long);
    JobSpec least = with(hours(2), minutes(40));
    least.time_min = minutes(40);
    admitted(least);
    least.time_min = minutes(41);
    EXPECT_EQ(why(least), Refusal::invalid_time_min);

    install(std::optional<Duration>());
    EXPECT_EQ(why(with({}, hours(100))), Refusal::time_limit_too_long);
    EXPECT_NE(refused(with({}, hours(100))).message.find("--time-min"), std::string::npos);
    admitted(with(hours(1), hours(100)));
}

// A refusal names the largest possible value.
TEST_F(Terms, SaysHowMuchThereIsOfWhatIsTooMuch) {
    const auto said = [&](const JobRequest& request) {
        return refused({.request = request}).message;
    };
    const GresRequest nine{"gpu", "", 9}, seventeen{"gpu", "", 17};
    EXPECT_EQ(said({.gres_per_node = {nine}}),
              "the job asks for 9 gpu:a100 on one node; there are 8 per node at most");
    EXPECT_EQ(said({.gpus = {seventeen}}),
              "the job asks for 17 gpu:a100; there are 16 in all, 8 per node at most");
    EXPECT_EQ(said({.nodes_min = 1, .nodes_max = 1, .nodes_given = true, .gpus = {nine}}),
              "the job asks for 9 gpu:a100 on one node; there are 8 per node at most");
    install(testing::make_cluster(1));
    EXPECT_EQ(said({.gpus = {nine}}), "the job asks for 9 gpu:a100; there are 8 per node at most");
    EXPECT_NE(said({.cpus_per_task = 65}).find("65 CPUs on one node; the largest has 64"),
              std::string::npos);
}

// The commands check this before they send a request; clients of the API are told here.
TEST_F(Terms, RefusesAGpuBindThatMeansNothing) {
    const auto with = [](const char* text) {
        JobSpec spec;
        spec.command.edit().gpu_bind = text;
        return spec;
    };
    for (const char* good : {"", "closest", "none", "verbose,single:2", "per_task:1",
                             "map_gpu:0*2,1", "mask_gpu:0x3,0xC", "Closest"}) {
        admitted(with(good));
    }
    for (const char* bad : {"blah", "single", "single:0", "per_task:x", "map_gpu:", "map_gpu:a",
                            "map_gpu:999", "mask_gpu:0", "closest:1", "verbose"}) {
        EXPECT_EQ(why(with(bad)), Refusal::invalid_request) << bad;
        EXPECT_EQ(refused(with(bad)).message,
                  "Invalid --gpu-bind argument: " + std::string(bad) +
                      " (write closest, none, single:N, per_task:N, map_gpu:0,1 or "
                      "mask_gpu:0x1,0x2)");
    }
}

TEST_F(Terms, MaxMemPerNodeRefusesWhereLimitsAreEnforcedAndElseLetsTheJobWait) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.partitions[0].max_memory_per_node = gib(100);
    spec.scheduling.enforce_part_limits = "ALL";
    install(spec);
    const JobRequest fits{.memory_per_node = gib(100)}, over{.memory_per_node = gib(101)};
    const JobRequest tasks{.nodes_given = true, .tasks = 4, .memory_per_cpu = gib(26)};
    admitted({.request = fits});
    EXPECT_EQ(why({.request = over}), Refusal::memory_over_limit);
    EXPECT_NE(refused({.request = over}).message.find("101G"), std::string::npos);
    EXPECT_NE(refused({.request = over}).message.find("100G"), std::string::npos);
    EXPECT_EQ(why({.request = tasks}), Refusal::memory_over_limit) << "4 × 26 GiB on one node";

    spec.scheduling.enforce_part_limits = "NO";
    Engine engine = testing::make_engine(spec, kNow);
    const JobId waits = testing::submit(engine, kNow, {.request = over});
    const JobId runs = testing::submit(engine, kNow, {.request = fits});
    JobRequest all;
    all.memory_per_node = Bytes(0);
    const JobId takes_all = testing::submit(engine, kNow, {.request = all});
    engine.cycle(kNow, 100'000);
    EXPECT_EQ(engine.state().schedule().reason(waits), PendingReason::max_mem_per_limit);
    EXPECT_EQ(slurm_name(engine.state().schedule().reason(waits)), "MaxMemPerLimit");
    EXPECT_EQ(engine.state().find_job(runs)->state, JobState::running);
    const Job& whole = *engine.state().find_job(takes_all);
    ASSERT_EQ(whole.state, JobState::running);
    EXPECT_EQ(whole.allocated->memory(), gib(100)) << "--mem=0 is all that may be had";
    const Explanation why_it_waits = explain(engine, kNow, waits);
    ASSERT_FALSE(why_it_waits.blockers.empty());
    EXPECT_EQ(why_it_waits.blockers[0].text,
              "The job asks for 101G of memory on one node; the partition allows at most 100G "
              "(MaxMemPerNode).");
}

TEST_F(Terms, AllowGroupsAsksForAllGroupsOfTheUser) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.partitions[0].allow_groups = {"gpu-users"};
    install(spec);
    EXPECT_EQ(why({}), Refusal::not_allowed);
    EXPECT_NE(refused({}).message.find("gpu-users"), std::string::npos);
    owner_.groups = {"news", "gpu-users"};
    const JobId id = submit({});
    spec.partitions.push_back({.name = "other", .nodes = {NodeId(0)}, .allow_groups = {"wheel"}});
    state_.apply(kNow, SpecInstalled{spec});
    const JobUpdated move{.job = id, .partition = PartitionId(1)};
    const auto refused_move = admit_update(state_, kNow, move, false, owner_.groups);
    EXPECT_TRUE(std::holds_alternative<Refusing>(refused_move));
    const auto moved = admit_update(state_, kNow, move, false, {"wheel"});
    EXPECT_TRUE(std::holds_alternative<JobUpdated>(moved));
}

TEST_F(Terms, GroupsOfAReservationAreComparedWithAllGroupsOfTheUser) {
    const auto reserve = [&](const char* name, NodeId node, std::vector<std::string> groups) {
        state_.apply(kNow, ReservationSet{{.name = name,
                                           .start = kNow,
                                           .end = kNow + hours(1),
                                           .amounts = {{node, state_.spec().nodes[0].capacity}},
                                           .groups = std::move(groups)}});
    };
    reserve("lab", NodeId(0), {"gpu-users", "wheel"});
    reserve("others", NodeId(1), {"-gpu-users"});
    const JobSpec lab{.request = JobRequest{.reservation = "lab"}};
    const JobSpec others{.request = JobRequest{.reservation = "others"}};
    EXPECT_EQ(why(lab), Refusal::reservation_access);
    admitted(others);
    const JobId id = submit({});
    const JobUpdated move{.job = id, .request = lab.request};
    const auto moved = [&](bool by_operator, const std::vector<std::string>& groups) {
        return std::holds_alternative<JobUpdated>(
            admit_update(state_, kNow, move, by_operator, groups));
    };
    EXPECT_FALSE(moved(false, {"staff"}));
    EXPECT_TRUE(moved(false, {"staff", "wheel"}));
    EXPECT_TRUE(moved(true, {})) << "an operator decides, whose groups are not the owner's";
    owner_.groups = {"news", "gpu-users"};
    admitted(lab);
    EXPECT_EQ(why(others), Refusal::reservation_access) << "one of the groups is denied";
}

TEST_F(Terms, WhySaysUntilWhenAJobIsNotToBegin) {
    Engine engine = testing::make_engine(testing::make_cluster(1), kNow);
    JobSpec later = testing::make_job({});
    later.begin = kNow + hours(3);
    const JobId id = testing::submit(engine, kNow, later);
    engine.cycle(kNow, 1000);
    const Explanation explanation = explain(engine, kNow, id);
    ASSERT_EQ(explanation.blockers.size(), 1U);
    EXPECT_EQ(explanation.blockers[0].until, kNow + hours(3));
}

TEST_F(Terms, AccountsAreOfOneCase) {
    ClusterSpec spec = testing::make_cluster(2);
    spec.accounts = {{.name = "physics", .parent = "root"}, {.name = "OldOne", .parent = "root"}};
    spec.associations = {{.account = "physics", .user = "news", .is_default = true},
                         {.account = "OldOne", .user = "news"}};
    spec.scheduling.enforce_accounts = true;
    spec.partitions[0].deny_accounts = {"chemistry"};
    install(spec);
    EXPECT_EQ(admitted({.account = "Physics"}).spec.account, "physics");
    EXPECT_EQ(admitted({.account = "OldOne"}).spec.account, "OldOne");
    EXPECT_EQ(admitted({.account = "oldone"}).spec.account, "OldOne");
    EXPECT_EQ(why({.account = "Chemistry"}), Refusal::unknown_account);
    spec.scheduling.enforce_accounts = false;
    install(spec);
    EXPECT_EQ(admitted({.account = "BIO"}).spec.account, "bio");
    EXPECT_EQ(why({.account = "CHEMISTRY"}), Refusal::unknown_account);
}

}  // namespace
}  // namespace berth
