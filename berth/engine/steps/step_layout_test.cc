// Where the tasks of a step go, which cores and GPUs they get, and which steps are refused.
#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "berth/engine/steps/step_layout.h"
#include "berth/testing/builders.h"
#include "berth/testing/random_facts.h"

namespace berth {
namespace {

constexpr Time kStepTime = from_seconds(100);

class StepLayout : public ::testing::Test {
protected:
    StepLayout() { install(testing::make_cluster(2)); }
    ~StepLayout() override { state_.check_invariants(); }

    void install(ClusterSpec spec) {
        spec.confinement.devices = true;
        state_ = ClusterState();
        state_.apply(Time{}, SpecInstalled{std::move(spec)});
    }
    // Starts a job that holds this many cores and GPUs of each of this many nodes.
    void run(std::uint32_t nodes, std::uint32_t cores, std::uint32_t gpus,
             JobRequest request = {}) {
        Job job;
        job.id = id_ = state_.next_job_id();
        job.spec.request = std::move(request);
        state_.apply(Time{}, JobSubmitted{job});
        StartJob start{.job = id_, .attempt = Attempt(1)};
        for (std::uint32_t n = 0; n < nodes; ++n) {
            start.allocation.shares.push_back(testing::free_share(state_, NodeId(n), cores, gpus));
        }
        state_.apply(Time{}, start);
    }
    const Job& job() const { return *state_.find_job(id_); }
    std::variant<Step, Refusing> lay_out(const StepRequest& request) const {
        return lay_out_step(state_, kStepTime, job(), request);
    }
    // Lays a step out and starts it.
    Step start(const StepRequest& request) {
        auto step = lay_out(request);
        if (const auto* no = std::get_if<Refusing>(&step)) {
            ADD_FAILURE() << no->message;
            return {};
        }
        state_.apply(kStepTime, StepCreated{id_, Attempt(1), std::get<Step>(step)});
        return std::get<Step>(step);
    }
    void end(const Step& step) {
        for (const NodeId node : step.nodes) {
            state_.apply(kStepTime, StepEnded{id_, Attempt(1), step.id, node, {}});
        }
    }
    Refusal why(const StepRequest& request) const {
        const auto step = lay_out(request);
        const auto* no = std::get_if<Refusing>(&step);
        EXPECT_NE(no, nullptr) << "it was laid out";
        return no == nullptr ? Refusal::invalid_request : no->why;
    }
    // "0-15/0 | 16-31/1": each task's cores and GPUs.
    static std::string tasks_of(const StepShare& share) {
        std::vector<std::string> words;
        words.reserve(share.tasks.size());
        for (const TaskPlace& task : share.tasks) {
            words.push_back(task.cores.to_list() + "/" + mask_to_list(task.devices));
        }
        return join(words, " | ");
    }
    static std::vector<std::size_t> tasks_per_node(const Step& step) {
        std::vector<std::size_t> counts;
        counts.reserve(step.shares.size());
        for (const StepShare& share : step.shares) counts.push_back(share.tasks.size());
        return counts;
    }

    ClusterState state_;
    JobId id_{0};
};

// "0 2 | 1": the ranks on each node.
std::string ranks_text(const Step& step) {
    std::vector<std::string> words;
    for (const StepShare& share : step.shares) {
        std::vector<std::string> ranks;
        ranks.reserve(share.tasks.size());
        for (const TaskPlace& task : share.tasks) ranks.push_back(std::to_string(task.rank));
        words.push_back(join(ranks, " "));
    }
    return join(words, " | ");
}

TEST_F(StepLayout, RanksGoToTheNodesInTheOrderAskedFor) {
    struct Case {
        const char* what;
        std::uint32_t tasks;
        std::optional<TaskOrder> order;
        std::uint32_t plane;
        const char* ranks;
    };
    const Case cases[] = {
        {"nothing said", 5, std::nullopt, 0, "0 1 2 | 3 4"},
        {"block", 5, TaskOrder::block, 0, "0 1 2 | 3 4"},
        {"cyclic", 5, TaskOrder::cyclic, 0, "0 2 4 | 1 3"},
        {"planes of two", 7, TaskOrder::plane, 2, "0 1 4 5 | 2 3 6"},
        {"a plane for all leaves one for the other node", 4, TaskOrder::plane, 8, "0 1 2 | 3"},
    };
    run(2, 8, 0);
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        const Step step = start({.tasks = c.tasks, .task_order = c.order, .plane = c.plane});
        EXPECT_EQ(ranks_text(step), c.ranks);
        end(step);
    }
    EXPECT_EQ(why({.task_order = TaskOrder::plane}), Refusal::invalid_request);
}

TEST_F(StepLayout, StepsTakeTheirJobsOrder) {
    JobRequest request;
    request.nearness.edit().task_order = TaskOrder::cyclic;
    run(2, 8, 0, request);
    EXPECT_EQ(ranks_text(start({.tasks = 4})), "0 2 | 1 3");
}

TEST_F(StepLayout, EightTasksOnEightGpusGetEachTheirOwnBlockAndGpu) {
    install(testing::make_cluster(1, {.cores_per_socket = 64}));
    run(1, 128, 8);
    const Step step = start({.tasks = 8, .cpus_per_task = 16, .gpus_per_task = 1});
    EXPECT_EQ(tasks_of(step.shares[0]),
              "0-15/0 | 16-31/1 | 32-47/2 | 48-63/3 | 64-79/4 | 80-95/5 | 96-111/6 | 112-127/7");
    EXPECT_EQ(step.cpus, 128U);
    EXPECT_EQ(step.allocated[*state_.spec().dimensions.find("gpu", "a100")], 8);
    EXPECT_EQ(step.id, StepId(0));
    EXPECT_EQ(step.started_at, kStepTime);
}

TEST_F(StepLayout, AStepThatSaysNothingHasAllOfItsJob) {
    run(1, 8, 4);
    const Step step = start({});
    EXPECT_EQ(tasks_of(step.shares[0]), "0-7/0-3");
    EXPECT_EQ(why({}), Refusal::step_resources_busy);
    end(step);
    start({});
}

TEST_F(StepLayout, WhatIsAskedExactlyIsAllThatIsTaken) {
    run(1, 8, 4);
    const Step two = start({.tasks = 2, .gres = {{"gpu", "", 2}}, .exact = true});
    EXPECT_EQ(tasks_of(two.shares[0]), "0/0-1 | 1/0-1");
    const Step three = start({.tasks = 3, .cpus_per_task = 2, .gres = {{"gpu", "a100", 1}}});
    EXPECT_EQ(tasks_of(three.shares[0]), "2-3/2 | 4-5/2 | 6-7/2");
    EXPECT_EQ(why({.gres = {{"gpu", "", 1}}, .exact = true}), Refusal::step_resources_busy);
    end(two);
    EXPECT_EQ(why({.gres = {{"gpu", "", 4}}, .exact = true}), Refusal::step_resources_busy);
    EXPECT_EQ(tasks_of(start({.gres = {{"gpu", "", 3}}, .exact = true}).shares[0]), "0/0-1,3");
}

TEST_F(StepLayout, FourStepsOfTwoGpusAtOnceShareNothing) {
    run(1, 64, 8);
    std::vector<std::string> seen;
    for (int i = 0; i < 4; ++i) {
        const Step step =
            start({.tasks = 2, .cpus_per_task = 8, .gres = {{"gpu", "", 2}}, .exact = true});
        seen.push_back(step.shares[0].cores.to_list() + "/" + mask_to_list(step.shares[0].devices));
    }
    EXPECT_EQ(join(seen, " | "), "0-15/0-1 | 16-31/2-3 | 32-47/4-5 | 48-63/6-7");
    EXPECT_EQ(why({.gres_none = true, .exact = true}), Refusal::step_resources_busy);
}

TEST_F(StepLayout, AStepWithoutDevicesRunsBesideOneThatHasThemAll) {
    run(1, 8, 8);
    start({.tasks = 4, .gres = {{"gpu", "", 8}}, .exact = true});
    const Step preprocess = start({.tasks = 4, .gres_none = true, .exact = true});
    EXPECT_EQ(preprocess.shares[0].devices, 0U);
    EXPECT_EQ(tasks_of(preprocess.shares[0]), "4/ | 5/ | 6/ | 7/");
}

TEST_F(StepLayout, OverlapSharesWithOthersAndTakesNothingFromThem) {
    run(1, 8, 4);
    const Step overlapping = start({.tasks = 2, .overlap = true});
    EXPECT_EQ(tasks_of(overlapping.shares[0]), "0-7/0-3 | 0-7/0-3");
    start({});
    start({.tasks = 8, .overlap = true});
}

TEST_F(StepLayout, TasksAreDealtToTheNodesInTurnAndRankedInBlocks) {
    run(2, 4, 0);
    EXPECT_EQ(tasks_per_node(start({.tasks = 5, .overlap = true})),
              (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(tasks_per_node(start({.tasks = 1, .overlap = true})), std::vector<std::size_t>{1});
    EXPECT_EQ(tasks_per_node(start({.tasks = 4, .nodes = 1, .overlap = true})),
              std::vector<std::size_t>{4});
    const Step named = start({.tasks = 2, .overlap = true, .nodelist = {"node2"}});
    EXPECT_EQ(named.nodes, std::vector{NodeId(1)});
    const Step both = start({.tasks = 8, .overlap = true});
    EXPECT_EQ(both.shares[1].tasks[0].rank, 4U);
    EXPECT_EQ(both.shares[1].tasks[3].rank, 7U);
    EXPECT_EQ(why({.tasks = 3, .nodes = 1, .tasks_per_node = 2}), Refusal::step_more_than_job);
}

TEST_F(StepLayout, SmallStepsFillOneNodeAfterTheOther) {
    run(2, 2, 0);
    for (const std::uint32_t node : {0U, 0U, 1U, 1U}) {
        EXPECT_EQ(start({.exact = true}).nodes.at(0), NodeId(node));
    }
    EXPECT_EQ(why({.exact = true}), Refusal::step_resources_busy);
}

TEST_F(StepLayout, GpusForTheWholeStepAreSpreadOverItsNodes) {
    run(2, 8, 4);
    const Step step = start({.tasks = 2, .gpus = 5, .exact = true});
    EXPECT_EQ(mask_to_list(step.shares[0].devices), "0-2");
    EXPECT_EQ(mask_to_list(step.shares[1].devices), "0-1");
    EXPECT_EQ(why({.tasks = 2, .gpus = 1, .overlap = true}), Refusal::step_more_than_job);
    EXPECT_EQ(why({.tasks = 2, .gpus = 9, .overlap = true}), Refusal::step_more_than_job);
}

TEST_F(StepLayout, WhatTheJobSaidOfItsTasksHoldsForItsSteps) {
    run(1, 8, 4, {.tasks = 4, .cpus_per_task = 2, .gpus_per_task = {{"gpu", "", 1}}});
    EXPECT_EQ(tasks_of(start({.tasks = 2}).shares[0]), "0-1/0 | 2-3/1");
    EXPECT_EQ(tasks_of(start({.tasks = 2}).shares[0]), "4-5/2 | 6-7/3");
}

TEST_F(StepLayout, TheBindingOfTheJobIsInheritedAndThatOfTheStepWins) {
    run(1, 4, 4);
    const auto bound = [&](const std::string& bind) {
        return tasks_of(
            start({.tasks = 4, .exact = true, .overlap = true, .gpu_bind = bind}).shares[0]);
    };
    EXPECT_EQ(bound("single:2"), "0/0 | 1/0 | 2/1 | 3/1");
    EXPECT_EQ(bound("per_task:1"), "0/0 | 1/1 | 2/2 | 3/3");
    EXPECT_EQ(bound("map_gpu:3,2,1,0"), "0/3 | 1/2 | 2/1 | 3/0");
    EXPECT_EQ(bound("mask_gpu:0x3,0xC"), "0/0-1 | 1/2-3 | 2/0-1 | 3/2-3");
    EXPECT_EQ(bound("verbose,none"), "0/0-3 | 1/0-3 | 2/0-3 | 3/0-3");
    EXPECT_EQ(tasks_of(start({.tasks = 4,
                              .gpus_per_task = 1,
                              .exact = true,
                              .overlap = true,
                              .gpu_bind = "none"})
                           .shares[0]),
              "0/0-3 | 1/0-3 | 2/0-3 | 3/0-3");
    Job with_bind = job();
    with_bind.spec.command.edit().gpu_bind = "single:1";
    const auto step =
        lay_out_step(state_, kStepTime, with_bind, {.tasks = 2, .exact = true, .overlap = true});
    EXPECT_EQ(tasks_of(std::get<Step>(step).shares[0]), "0/0 | 1/1");
}

TEST_F(StepLayout, TasksOfOddSizesShareCoresThatHaveTwoThreads) {
    install(testing::make_cluster(1, {.cores_per_socket = 4, .threads_per_core = 2}));
    run(1, 4, 0);
    EXPECT_EQ(tasks_of(start({.tasks = 2, .cpus_per_task = 3}).shares[0]), "0-1/ | 1-2/");
    EXPECT_EQ(why({.tasks = 1, .cpus_per_task = 9}), Refusal::step_more_than_job);
}

TEST_F(StepLayout, TasksUseNoMoreThreadsOfACoreThanTheJobSays) {
    install(testing::make_cluster(1, {.cores_per_socket = 4, .threads_per_core = 2}));
    JobRequest one_thread;
    one_thread.nearness.edit().node.threads_per_core = 1;
    run(1, 4, 0, one_thread);
    EXPECT_EQ(tasks_of(start({.tasks = 2, .cpus_per_task = 2, .overlap = true}).shares[0]),
              "0-1/ | 2-3/");
    EXPECT_EQ(why({.tasks = 1, .cpus_per_task = 5}), Refusal::step_more_than_job);
}

TEST_F(StepLayout, TakesCoresOfSocketsAsItsJobOrTheStepItselfSays) {
    install(testing::make_cluster(1, {.cores_per_socket = 4, .gpus = 0}));
    JobRequest one_each;
    one_each.exclusive = true;
    one_each.nearness.edit().layout.per_socket = 1;
    run(1, 8, 0, one_each);
    EXPECT_EQ(tasks_of(start({.tasks = 2, .overlap = true}).shares[0]), "0-3/ | 4-7/");
    const StepRequest exact{.tasks = 2, .cpus_per_task = 2, .exact = true, .overlap = true};
    EXPECT_EQ(tasks_of(start(exact).shares[0]), "0-1/ | 4-5/");
    StepRequest more = exact;  // Than one for each socket.
    more.tasks = 4;
    EXPECT_EQ(tasks_of(start(more).shares[0]), "0-1/ | 2-3/ | 4-5/ | 6-7/");
    more.layout = TaskLayout{.over_sockets = CoreOrder::cyclic};
    EXPECT_EQ(tasks_of(start(more).shares[0]), "0-1/ | 4-5/ | 2-3/ | 6-7/");
}

TEST_F(StepLayout, HasMoreTasksThanCpusIfItOvercommits) {
    run(1, 2, 0);
    EXPECT_EQ(why({.tasks = 5}), Refusal::step_more_than_job);
    StepRequest many{.tasks = 5, .exact = true, .overlap = true};
    many.overcommit = true;
    EXPECT_EQ(tasks_of(start(many).shares[0]), "0-1/ | 0-1/ | 0-1/ | 0-1/ | 0-1/");
    many.tasks = 1;  // It has its own, as ever.
    EXPECT_EQ(tasks_of(start(many).shares[0]), "0/");
    JobRequest request;
    request.nearness.edit().layout.overcommit = true;
    run(1, 1, 0, request);
    EXPECT_EQ(start({.tasks = 9}).shares[0].tasks.size(), 9U);
}

TEST_F(StepLayout, FillsTheNodesOfAPackedStep) {
    run(2, 8, 0);
    StepRequest packed{.tasks = 6, .nodes = 2, .task_order = TaskOrder::block};
    EXPECT_EQ(tasks_per_node(start(packed)), (std::vector<std::size_t>{3, 3}));
    packed.layout = TaskLayout{.pack = true};
    packed.overlap = true;
    EXPECT_EQ(tasks_per_node(start(packed)), (std::vector<std::size_t>{5, 1}));
}

TEST_F(StepLayout, BindsTasksToCoresAsAsked) {
    run(1, 4, 0);
    const auto placed = [&](std::uint32_t tasks, const char* bind) {
        return tasks_of(start({.tasks = tasks, .overlap = true, .cpu_bind = bind}).shares[0]);
    };
    EXPECT_EQ(placed(2, ""), "0-3/ | 0-3/");
    EXPECT_EQ(placed(2, "cores"), "0/ | 1/");
    EXPECT_EQ(placed(4, ""), "0/ | 1/ | 2/ | 3/");
    EXPECT_EQ(placed(4, "none"), "0-3/ | 0-3/ | 0-3/ | 0-3/");
    for (const char* const by_number : {"rank", "map_cpu:0,2", "mask_cpu:0x3"})
        EXPECT_EQ(placed(2, by_number), "0-3/ | 0-3/") << "the node chooses among them";
    EXPECT_EQ(why({.cpu_bind = "ldoms"}), Refusal::invalid_request);
    EXPECT_EQ(why({.cpu_bind = "map_cpu:x"}), Refusal::invalid_request);
}

TEST_F(StepLayout, ClosestGivesTheGpusOfTheTasksSocket) {
    run(1, 64, 8);
    EXPECT_EQ(tasks_of(start({.tasks = 2, .cpus_per_task = 32, .gpu_bind = "closest"}).shares[0]),
              "0-31/0-3 | 32-63/4-7");
}

TEST_F(StepLayout, WhatCanNeverBeIsToldFromWhatIsBusy) {
    run(2, 4, 2);
    EXPECT_EQ(why({.tasks = 9}), Refusal::step_more_than_job);
    EXPECT_EQ(why({.tasks = 2, .nodes = 3}), Refusal::step_more_than_job);
    EXPECT_EQ(why({.gres = {{"gpu", "", 3}}}), Refusal::step_more_than_job);
    EXPECT_EQ(why({.gres = {{"fpga", "", 1}}}), Refusal::step_gres_not_in_job);
    EXPECT_EQ(why({.gres = {{"gpu", "h100", 1}}}), Refusal::step_gres_not_in_job);
    EXPECT_EQ(why({.tasks = 5, .gpus_per_task = 1}), Refusal::step_more_than_job);
    EXPECT_EQ(why({.nodelist = {"node9"}}), Refusal::node_configuration_unavailable);
    EXPECT_EQ(why({.tasks = 0}), Refusal::invalid_request);
    EXPECT_EQ(why({.time_limit = Duration{}}), Refusal::invalid_request);
    EXPECT_EQ(why({.gpu_bind = "map_gpu:7"}), Refusal::invalid_request);
    EXPECT_EQ(why({.tasks = 4, .gpus = 4, .gpus_per_task = 2}), Refusal::invalid_request);
}

TEST_F(StepLayout, AJobWithoutGpusHasNoneToGive) {
    run(1, 4, 0);
    EXPECT_EQ(why({.gres = {{"gpu", "", 1}}}), Refusal::step_gres_not_in_job);
    EXPECT_EQ(why({.gpus_per_task = 1}), Refusal::step_gres_not_in_job);
    EXPECT_EQ(tasks_of(start({.gres = {{"gpu", "", 0}}, .gpu_bind = "closest"}).shares[0]), "0-3/");
}

TEST_F(StepLayout, AMalformedBindingIsRefusedInSlurmsWords) {
    run(1, 4, 2);
    const auto step = lay_out({.gpu_bind = "blah"});
    ASSERT_TRUE(std::holds_alternative<Refusing>(step));
    EXPECT_EQ(std::get<Refusing>(step).details,
              std::vector<std::string>{"Invalid --gpu-bind argument: gres/gpu:blah"});
}

TEST_F(StepLayout, MemoryIsALimitWithinTheJobs) {
    install(testing::make_cluster(1));
    Job submitted;
    submitted.id = id_ = state_.next_job_id();
    state_.apply(Time{}, JobSubmitted{submitted});
    StartJob begin{.job = id_, .attempt = Attempt(1)};
    begin.allocation.shares = {testing::free_share(state_, NodeId(0), 4, 0)};
    begin.allocation.shares[0].memory = gib(8);
    begin.allocation.shares[0].amount.set_memory(gib(8));
    state_.apply(Time{}, begin);
    EXPECT_EQ(start({.overlap = true}).shares[0].memory, gib(8));
    EXPECT_EQ(start({.memory_per_node = gib(2), .overlap = true}).shares[0].memory, gib(2));
    EXPECT_EQ(start({.memory_per_node = Bytes(0), .overlap = true}).shares[0].memory, gib(8));
    EXPECT_EQ(why({.memory_per_node = gib(9)}), Refusal::memory_unavailable);
}

TEST_F(StepLayout, NeedsARunningJob) {
    run(1, 4, 0);
    state_.apply(kStepTime, EndJob{.job = id_, .outcome = JobState::cancelled});
    EXPECT_EQ(why({}), Refusal::job_not_running);
}

}  // namespace
}  // namespace berth
