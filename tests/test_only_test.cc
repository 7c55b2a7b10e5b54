// sbatch, srun and salloc --test-only over a real socket: what they ask, and Slurm's words.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command_rig.h"

namespace berth {
namespace {

class TestOnly : public CommandRig {
protected:
    void SetUp() override {
        start();
        estimate.start = from_seconds(1'000'000);
        estimate.components = {{.job = JobId(65),
                                .partition = PartitionId(0),
                                .nodes = {NodeId(0), NodeId(1)},
                                .cpus = 4}};
    }
    // What the command says, and that it submits nothing.
    Said ask(const std::string& name, std::vector<std::string> arguments,
             const Environment& environment = {}) {
        controller.inputs.clear();
        controller.answer = estimate;
        if (refused) controller.answer = *refused;
        arguments.insert(arguments.begin(), "--test-only");
        const Environment zone = {{"TZ", "UTC"}};
        Said said = run(name, std::move(arguments), environment.empty() ? zone : environment);
        EXPECT_EQ(said.out, "");
        EXPECT_EQ(controller.inputs.size(), 1U);
        for (const ClientInput& input : controller.inputs)
            EXPECT_TRUE(std::holds_alternative<TestJob>(input.command));
        return said;
    }
    static std::string when() { return "1970-01-12T"; }

    StartEstimate estimate;
    std::optional<Refused> refused;
};

TEST_F(TestOnly, SaysWhenAndWhereInSlurmsWords) {
    for (const std::string name : {"sbatch", "srun", "salloc"}) {
        const Said said =
            ask(name, name == "sbatch" ? std::vector<std::string>{"--parsable", "--wrap", "true"}
                                       : std::vector<std::string>{"true"});
        EXPECT_EQ(said.code, 0);
        EXPECT_EQ(said.err.substr(0, name.size() + 18 + 10),
                  name + ": Job 65 to start at " + when().substr(0, 7));
        EXPECT_EQ(said.err.substr(said.err.find(" using")),
                  " using 4 processors on nodes gpu[1-2] in partition main\n");
    }
    EXPECT_EQ(ask("sbatch", {"-Q", "--wrap", "true"}).err, "");
}

TEST_F(TestOnly, HasOneLineForAHeterogeneousJobOfSbatchAndOneForEachComponentOfSrun) {
    estimate.components.front().nodes.pop_back();
    estimate.components.push_back(
        {.job = JobId(66), .partition = PartitionId(1), .nodes = {NodeId(1)}, .cpus = 2});
    const std::string one = ask("sbatch", {"-n4", ":", "-n2", "--wrap", "true"}).err;
    EXPECT_EQ(one.substr(one.find(" using")), " using 6 processors on gpu[1-2]\n");
    EXPECT_EQ(std::ranges::count(one, '\n'), 1);
    const std::string two = ask("srun", {"-n4", "true", ":", "-n2", "true"}).err;
    EXPECT_EQ(run("srun", {"-n4", "true", ":", "--test-only", "true"}).err.substr(0, 10),
              "srun: Job ");
    EXPECT_EQ(std::ranges::count(two, '\n'), 2);
    EXPECT_NE(two.find("srun: Job 66 to start at"), std::string::npos);
    EXPECT_NE(two.find("nodes gpu2 in partition debug\n"), std::string::npos);
}

TEST_F(TestOnly, WarnsOfWhatTheStartLeavesOut) {
    estimate.waits_for = {PendingReason::dependency, PendingReason::job_held_user};
    estimate.planned = false;
    const std::string said = ask("sbatch", {"--wrap", "true"}).err;
    EXPECT_NE(said.find("sbatch: warning: the job would also wait for: Dependency, JobHeldUser\n"),
              std::string::npos);
    EXPECT_NE(said.find("sbatch: warning: the job would get no planned start"), std::string::npos);
}

TEST_F(TestOnly, FailsAsSlurmDoes) {
    refused = Refused{.why = Refusal::unknown_partition,
                      .message = "There is no partition nope",
                      .details = {"invalid partition specified: nope"},
                      .job = {}};
    for (const std::string name : {"sbatch", "srun"}) {
        const Said said = ask(name, name == "sbatch" ? std::vector<std::string>{"--wrap", "true"}
                                                     : std::vector<std::string>{"true"});
        EXPECT_EQ(said.code, 1);
        EXPECT_EQ(said.err, name +
                                ": error: invalid partition specified: nope\n"
                                "allocation failure: Invalid partition name specified\n");
    }
}

TEST_F(TestOnly, IsNotForAStep) {
    const Said said = run("srun", {"--test-only", "true"}, {{"SLURM_JOB_ID", "7"}});
    EXPECT_EQ(said.code, 1);
    EXPECT_EQ(said.err,
              "srun: error: --test-only is for a job of its own: it tells nothing of a step in job "
              "7\n");
    EXPECT_TRUE(controller.inputs.empty());
}

}  // namespace
}  // namespace berth
