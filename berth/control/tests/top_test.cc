// scontrol top: the order of one user's own jobs.
#include "berth/control/tests/control_rig.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

class OnTop : public ::testing::Test {
protected:
    explicit OnTop(bool user_top = false)
        : rig([&] {
              ClusterSpec spec = testing::make_cluster(1);
              spec.scheduling.user_top = user_top;
              return spec;
          }()) {
        rig.connect_all();
        rig.run({.gpus = 8});  // All GPUs are taken.
    }

    std::uint32_t wait(const Principal& who = kAnn) {
        return rig.submit(testing::make_job({.gpus = 8}), who);
    }
    Answer top(const Principal& who, const std::vector<std::uint32_t>& ids) {
        rig.turn();
        TopJobs command;
        for (const std::uint32_t id : ids) command.jobs.push_back({JobId(id), {}});
        return rig.ask(who, command);
    }
    std::int64_t priority(std::uint32_t id) {
        rig.wait(1s);
        return current_priority(rig.state(), JobId(id));
    }
    std::int64_t nice(std::uint32_t id) const { return rig.job(id).spec.nice; }

    ControlRig rig;
};

class UsersMay : public OnTop {
protected:
    UsersMay() : OnTop(true) {}
};

TEST_F(OnTop, PutsJobsBeforeTheOthersOfTheirUserInTheOrderAskedFor) {
    const std::uint32_t a = wait(), b = wait(), c = wait(), d = wait();
    const std::uint32_t other = wait(kBob);
    ASSERT_TRUE(is_done(top(kOperator, {d, c})));
    EXPECT_GT(priority(d), priority(c));
    EXPECT_GT(priority(c), priority(a));
    EXPECT_GT(priority(a), priority(b));
    EXPECT_EQ(nice(other), 0);
    EXPECT_GE(nice(a) + nice(b) + nice(c) + nice(d), 0) << "Nobody gains but by the others' loss.";
}

// Priorities below 1 are cut off at 1 and look alike.
TEST_F(OnTop, CountsFromBelowTheLeastPriority) {
    ControlRig multifactor([] {
        ClusterSpec spec = testing::make_cluster(1);
        spec.scheduling.rules.push_back({.kind = "priority", .name = "age", .weight = 0});
        return spec;
    }());
    multifactor.connect_all();
    multifactor.run({.gpus = 8});
    std::vector<std::uint32_t> ids(3);
    for (std::uint32_t& id : ids) id = multifactor.submit({.gpus = 8});
    multifactor.turn();
    ASSERT_EQ(current_priority(multifactor.state(), JobId(ids[0])), 1);
    TopJobs command;
    command.jobs = {{JobId(ids[2]), {}}, {JobId(ids[1]), {}}};
    ASSERT_TRUE(is_done(multifactor.ask(kOperator, command)));
    multifactor.wait(1s);
    const auto priority = [&](int i) {
        return current_priority(multifactor.state(), JobId(ids.at(static_cast<std::size_t>(i))));
    };
    EXPECT_GT(priority(2), priority(1));
    EXPECT_GT(priority(1), priority(0));
    command.jobs = {{JobId(ids[0]), {}}};
    ASSERT_TRUE(is_done(multifactor.ask(kOperator, command)));
    multifactor.wait(1s);
    EXPECT_GT(priority(0), priority(2));
}

TEST_F(OnTop, IsForOperatorsUnlessTheSiteLetsUsers) {
    const std::uint32_t a = wait();
    EXPECT_EQ(why(top(kAnn, {a})), Refusal::not_allowed);
    EXPECT_EQ(why(top(kNobody, {a})), Refusal::not_allowed);
}

TEST_F(UsersMay, OrderTheirOwnAndNoOthers) {
    const std::uint32_t a = wait(), b = wait();
    ASSERT_TRUE(is_done(top(kAnn, {b})));
    EXPECT_GT(priority(b), priority(a));
    EXPECT_EQ(why(top(kBob, {b})), Refusal::not_allowed);
}

TEST_F(OnTop, RefusesWhatHasNoPlaceInTheQueue) {
    const std::uint32_t a = wait(), b = wait(kBob);
    EXPECT_EQ(why(top(kOperator, {1})), Refusal::job_not_pending);
    EXPECT_EQ(why(top(kOperator, {999})), Refusal::unknown_job);
    EXPECT_EQ(why(top(kOperator, {})), Refusal::invalid_request);
    EXPECT_EQ(why(top(kOperator, {a, b})), Refusal::invalid_request);
    rig.ask(kOperator, HoldJob{{JobId(a), {}}, Hold::user});
    EXPECT_EQ(why(top(kOperator, {a})), Refusal::job_held);
    UpdateJob by_hand{.job = {JobId(b), {}}};
    by_hand.change.priority = 5;
    rig.ask(kOperator, by_hand);
    EXPECT_EQ(why(top(kOperator, {b})), Refusal::invalid_request);
}

TEST_F(OnTop, AloneItStaysAsItIs) {
    const std::uint32_t a = wait();
    ASSERT_TRUE(is_done(top(kOperator, {a})));
    EXPECT_EQ(nice(a), 0);
}

}  // namespace
}  // namespace berth
