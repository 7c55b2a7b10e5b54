// Which jobs queues admit, with seed 002's numbers and texts.
#include <gtest/gtest.h>

#include "berth/engine/admission/admission.h"
#include "berth/testing/builders.h"
#include "berth/testing/engine_rig.h"

namespace berth {
namespace {

class QueueAdmission : public ::testing::Test {
protected:
    // A lab with the queue that a test describes, and the team vision beneath it.
    void lab(QueueSpec queue) {
        ClusterSpec spec = testing::make_cluster(4, {.gpus = 8});
        spec.scheduling.enforce_limits = true;
        spec.accounts = {{.name = "lab"}, {.name = "vision", .parent = "lab"}, {.name = "guests"}};
        spec.priority_classes = {{.name = "high", .value = 100}, {.name = "huge", .value = 1000}};
        queue.name = "lab";
        spec.queues = {queue};
        engine_ = testing::make_engine(std::move(spec));
    }
    // What is said to the user; empty: the job is admitted, and waits.
    std::string submit(const JobSpec& spec, Role role = Role::admin) {
        auto answer = admit(engine_.state(), kNow, {.uid = 7, .user = "ann", .role = role}, spec);
        if (const auto* no = std::get_if<Refusing>(&answer)) {
            reasons_ = no->details;
            return no->message;
        }
        last_ = std::get<Job>(answer).id;
        engine_.apply(kNow, JobSubmitted{std::get<Job>(std::move(answer))});
        engine_.state().check_invariants();
        return "";
    }
    std::string update(JobUpdated change, bool by_operator = false) {
        change.job = last_;
        const auto answer = admit_update(engine_.state(), kNow, change, by_operator);
        const auto* const no = std::get_if<Refusing>(&answer);
        return no == nullptr ? "" : no->message;
    }
    static JobSpec job(const std::string& account, std::int64_t gpus = 0) {
        JobSpec spec = testing::make_job({.gpus = gpus});
        spec.account = account;
        return spec;
    }

    Engine engine_;
    std::vector<std::string> reasons_;
    JobId last_{0};
};

TEST_F(QueueAdmission, CountsTheJobsOfAQueueAndOfThoseBeneathIt) {
    lab({.jobs_max = 2});
    EXPECT_EQ(submit(job("lab")), "");
    EXPECT_EQ(submit(job("vision")), "");
    const std::string full = "admission check failed: queue job limit reached: 2 (queue lab)";
    EXPECT_EQ(submit(job("vision")), full);
    EXPECT_EQ(reasons_, std::vector<std::string>{"AssocMaxSubmitJobLimit"});
    EXPECT_EQ(submit(job("guests")), "");
    engine_.cycle(kNow, kBudget);
    EXPECT_EQ(submit(job("lab")), full) << "runs count as jobs that wait";
    testing::finish(engine_, kNow, JobId(1));
    EXPECT_EQ(submit(job("lab")), "");
}

TEST_F(QueueAdmission, CountsEachTaskOfAnArray) {
    lab({.jobs_max = 2});
    JobSpec array = job("lab");
    array.array = ArraySpec{.tasks = {1, 2, 3}};
    EXPECT_NE(submit(array), "");
    array.array = ArraySpec{.tasks = {1, 2}};
    EXPECT_EQ(submit(array), "");
    EXPECT_NE(submit(job("lab")), "");
}

TEST_F(QueueAdmission, ClosesAQueueThatAdmitsNoJob) {
    lab({.jobs_max = 0});
    EXPECT_EQ(submit(job("vision")),
              "admission check failed: queue job limit reached: 0 (queue lab)");
}

// -N1-4 with 8 GPUs on each node: 32 are asked for, though 8 would do.
TEST_F(QueueAdmission, CountsTheGpusOfAllNodesThatAJobMayHave) {
    lab({.gpus_per_job_max = 16});
    EXPECT_EQ(submit(job("vision", 8)), "");
    JobSpec elastic = job("vision", 8);
    elastic.request.edit().nodes_given = true;
    const auto on_nodes = [&](std::uint32_t most) {
        elastic.request.edit().nodes_max = most;
        return submit(elastic);
    };
    EXPECT_EQ(on_nodes(2), "");
    EXPECT_EQ(on_nodes(4),
              "admission check failed: job GPU request 32 exceeds limit 16 (queue lab)");
    EXPECT_EQ(reasons_, std::vector<std::string>{"AssocMaxGRESPerJob"});
    EXPECT_EQ(on_nodes(1'000'000),
              "admission check failed: job GPU request 32 exceeds limit 16 (queue lab)")
        << "the cluster has four nodes";
    elastic.request.edit().tasks = 2;
    EXPECT_EQ(on_nodes(4), "") << "two tasks take two nodes at most";
}

TEST_F(QueueAdmission, AdmitsARangeOfPriorities) {
    lab({.priorities = PriorityRange{10, 100}});
    const auto by_hand = [&](std::uint32_t priority) {
        JobSpec spec = job("lab");
        spec.priority = priority;
        return submit(spec);
    };
    const auto of_class = [&](const std::string& name) {
        JobSpec spec = job("lab");
        spec.request.edit().priority_class = name;
        return submit(spec);
    };
    EXPECT_EQ(by_hand(10), "");
    EXPECT_EQ(by_hand(100), "");
    EXPECT_EQ(of_class("high"), "");
    EXPECT_EQ(by_hand(5),
              "admission check failed: job priority 5 out of allowed range [10, 100] (queue lab)");
    EXPECT_NE(by_hand(101), "");
    EXPECT_NE(of_class("huge"), "");
    EXPECT_EQ(submit(job("lab")),
              "admission check failed: job priority 0 out of allowed range [10, 100] (queue lab)");
    EXPECT_EQ(submit(job("guests")), "");
}

TEST_F(QueueAdmission, BoundsWhatAnOwnerChangesLater) {
    lab({.gpus_per_job_max = 8, .priorities = PriorityRange{10, 100}});
    JobSpec spec = job("lab", 8);
    spec.priority = 50U;
    spec.begin = kNow + std::chrono::hours(1);
    ASSERT_EQ(submit(spec), "");
    engine_.cycle(kNow, kBudget);
    EXPECT_EQ(update({.priority = 20}), "");
    EXPECT_EQ(update({.priority = 0}), "") << "it is held";
    EXPECT_NE(update({.priority = 9}), "");
    EXPECT_EQ(update({.priority = 9}, true), "") << "an operator may";
    JobRequest two = *spec.request;
    two.nodes_min = 2;
    two.nodes_given = true;
    EXPECT_NE(update({.request = two}), "");
    EXPECT_EQ(update({.request = two}, true), "");
}

}  // namespace
}  // namespace berth
