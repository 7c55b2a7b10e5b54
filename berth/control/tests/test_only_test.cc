// --test-only: checked as a submission, answered by the plan, recorded nowhere.
#include "berth/control/tests/control_rig.h"

namespace berth {
namespace {

class TestOnly : public ::testing::Test {
protected:
    TestOnly() { rig.connect_all(); }

    Answer test(JobSpec spec, const Principal& who = kAnn) {
        const std::uint64_t before = rig.state().hash();
        Answer answer = rig.ask(who, TestJob{{std::move(spec), {"#!/bin/sh\n", {}}, {}}});
        EXPECT_TRUE(rig.last.record.facts.empty());
        EXPECT_EQ(rig.state().hash(), before);
        return answer;
    }
    StartEstimate estimate(JobSpec spec) {
        const Answer answer = test(std::move(spec));
        if (const auto* one = std::get_if<StartEstimate>(&answer)) return *one;
        ADD_FAILURE() << std::get<Refused>(answer).message;
        return {};
    }

    ControlRig rig{2};
};

TEST_F(TestOnly, SaysTheStartThatTheJobThenGets) {
    rig.run({.nodes = 2, .gpus = 8});
    const StartEstimate said = estimate(testing::make_job({.gpus = 8}));
    ASSERT_TRUE(said.start);
    EXPECT_GT(*said.start, rig.now);
    const JobId id(rig.submit({.gpus = 8}));
    EXPECT_EQ(said.components.at(0).job, id) << "no id was used";
    ASSERT_NE(rig.state().schedule().planned(id), nullptr);
    EXPECT_EQ(rig.state().schedule().planned(id)->start, said.start);
    EXPECT_EQ(rig.state().schedule().planned(id)->amounts.nodes().front(),
              said.components[0].nodes.front());
}

// Both come in one turn: the answer knows what the submission has taken.
TEST_F(TestOnly, CountsWhatWasSubmittedJustBefore) {
    const auto all = testing::make_job({.nodes = 2, .gpus = 8});
    rig.turn({ClientInput{{101}, kAnn, SubmitJob{all, {"#!/bin/sh\n", {}}, {}}},
              ClientInput{{102}, kAnn, TestJob{{all, {"#!/bin/sh\n", {}}, {}}}}});
    ASSERT_EQ(rig.last.answers.size(), 2U);
    const auto* said = std::get_if<StartEstimate>(&rig.last.answers[1].answer);
    ASSERT_NE(said, nullptr);
    EXPECT_EQ(said->start, rig.now + std::chrono::hours(1));
}

TEST_F(TestOnly, IsRefusedAsASubmissionIs) {
    JobSpec wrong = testing::make_job();
    wrong.partition = "nope";
    EXPECT_EQ(why(test(wrong)), Refusal::unknown_partition);
    EXPECT_EQ(why(test(testing::make_job(), kNobody)), Refusal::not_allowed);
    EXPECT_EQ(why(test(testing::make_job({.gpus = 9}))), Refusal::node_configuration_unavailable);
    JobSpec large = testing::make_job();
    large.name = std::string(5000, 'x');
    EXPECT_EQ(why(test(large)), Refusal::invalid_request);
}

// A submission of these would be taken, and wait for ever.
TEST_F(TestOnly, RefusesWhatWouldNeverRun) {
    rig.ask(kOperator, UpdateNode{"node1", NodeAction::drain, "smoke"});
    EXPECT_EQ(why(test(testing::make_job({.nodes = 2}))), Refusal::node_configuration_unavailable);
    rig.ask(kOperator, UpdateNode{"node1", NodeAction::resume, ""});
    rig.run({.nodes = 2, .gpus = 8, .limit = Duration::max()});
    EXPECT_EQ(why(test(testing::make_job({.gpus = 1}))), Refusal::nodes_busy);
}

TEST_F(TestOnly, ForgetsTheRequestId) {
    JobSpec spec = testing::make_job();
    spec.request_id = "once";
    rig.ask(kAnn, SubmitJob{spec, {"#!/bin/sh\n", {}}, {}});
    EXPECT_EQ(estimate(spec).components.at(0).job, rig.state().next_job_id());
}

TEST_F(TestOnly, TakesComponents) {
    TestJob command{{testing::make_job({.gpus = 8}), {"#!/bin/sh\n", {}}, {}}};
    command.submission.components = {testing::make_job({.gpus = 8})};
    const Answer answer = rig.ask(kAnn, command);
    const auto* said = std::get_if<StartEstimate>(&answer);
    ASSERT_NE(said, nullptr);
    ASSERT_EQ(said->components.size(), 2U);
    EXPECT_NE(said->components[0].nodes, said->components[1].nodes);
    command.submission.components.emplace_back(testing::make_job({.gpus = 8}));
    EXPECT_EQ(why(rig.ask(kAnn, command)), Refusal::node_configuration_unavailable);
    EXPECT_TRUE(rig.last.record.facts.empty());
}

}  // namespace
}  // namespace berth
