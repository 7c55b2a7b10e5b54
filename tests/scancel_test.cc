// scancel over a real socket: which jobs it asks the controller to end.
#include <gtest/gtest.h>

#include "berth/control/requests/job_ref.h"
#include "command_rig.h"

namespace berth {
namespace {

class Scancel : public CommandRig {
protected:
    // 1 runs on gpu1; 2 waits in "debug"; 3 is another user's; 4 is an array of which task 0 runs.
    void SetUp() override {
        cluster.submit(SampleCluster::job(1, 0));
        cluster.start(1, 0);
        Job waits = SampleCluster::job(2, 0);
        waits.partition = PartitionId(1);
        waits.spec.account = "chemistry";
        waits.spec.command.edit().wckey = "key";
        cluster.submit(waits);
        cluster.submit(SampleCluster::job(3, 1));
        cluster.start(3, 1);
        Job array = SampleCluster::job(4, 0);
        array.spec.array = ArraySpec{.tasks = {0, 1, 2, 3}};
        cluster.submit(array);
        cluster.apply(TaskSplit{JobId(4), 0, JobId(5)});
        cluster.start(5, 2);
        start();
    }

    // What the controller was asked to end: "1 2 4_[1-3]"; with what else was said.
    std::string ended_by(std::vector<std::string> arguments, const std::string& input = {}) {
        controller.inputs.clear();
        const Said said = run("scancel", std::move(arguments), {}, input);
        std::string text;
        for (const ClientInput& input_of : controller.inputs) {
            const auto& cancel = std::get<CancelJob>(input_of.command);
            text += (text.empty() ? "" : " ") + to_text(cancel.job);
            if (cancel.step) text += "." + to_string(*cancel.step);
        }
        return text + said.err + (said.code == 0 ? "" : "[exit " + std::to_string(said.code) + "]");
    }
};

TEST_F(Scancel, EndsANamedJobOnlyIfEveryFilterHoldsToo) {
    EXPECT_EQ(ended_by({"1"}), "1");
    EXPECT_EQ(ended_by({"-u", "nobody", "1"}), "");
    EXPECT_EQ(ended_by({"-u", "0", "1"}), "1");
    EXPECT_EQ(ended_by({"-u", "nobody", "-p", "staff", "1"}), "");
    EXPECT_EQ(ended_by({"-p", "debug", "1", "2"}), "2");
    EXPECT_EQ(ended_by({"--name=job1", "1", "2"}), "1");
    EXPECT_EQ(ended_by({"-A", "chemistry", "1", "2"}), "2");
    EXPECT_EQ(ended_by({"-q", "high", "1"}), "");
    EXPECT_EQ(ended_by({"-w", "gpu1", "1", "2", "3"}), "1");
    EXPECT_EQ(ended_by({"-t", "PENDING", "1", "2"}), "2");
    EXPECT_EQ(ended_by({"-t", "RUNNING", "1", "2"}), "1");
    EXPECT_EQ(ended_by({"-t", "SUSPENDED", "1", "2"}), "");
    EXPECT_EQ(ended_by({"-R", "maint", "1"}), "");
    EXPECT_EQ(ended_by({"--wckey", "key", "1", "2"}), "2");
    EXPECT_EQ(ended_by({"--me", "1", "3"}), geteuid() == 0 ? "1" : "");
    EXPECT_EQ(ended_by({"-p", "debug", "1.0", "1"}), "");
    EXPECT_EQ(ended_by({"-p", "main", "1.0"}), "1.0");
}

TEST_F(Scancel, TakesFiltersAloneAsConditionsOnAllJobs) {
    EXPECT_EQ(ended_by({"-u", "1"}), "3");
    EXPECT_EQ(ended_by({"-u", "0", "-p", "debug"}), "2");
    EXPECT_EQ(ended_by({"-u", "0", "-t", "RUNNING"}), "1 5");
    EXPECT_EQ(ended_by({"-u", "0", "-t", "PENDING"}), "2 4_[1-3]");
}

TEST_F(Scancel, EndsOnlyThoseTasksOfAnArrayThatMeetTheFilters) {
    EXPECT_EQ(ended_by({"-t", "PENDING", "4"}), "4_[1-3]");
    EXPECT_EQ(ended_by({"-w", "gpu3", "4"}), "5");
    EXPECT_EQ(ended_by({"-t", "PENDING", "4_[0-2]"}), "4_[1-2]");
    EXPECT_EQ(ended_by({"-n", "other", "4"}), "");
}

// Their list is longer than an URL may be: none of the others may end in their place.
TEST_F(Scancel, EndsOnlyTheNamedOnesOfThousandsOfTasks) {
    constexpr std::uint32_t kTasks = 4000;
    Job many = SampleCluster::job(6, 0);
    many.spec.array = ArraySpec{};
    for (std::uint32_t task = 0; task < kTasks; ++task) many.spec.array->tasks.push_back(task);
    cluster.submit(many);
    (void)cluster.publish(read_model);
    for (const char* condition : {"-u0", "-i"}) {
        controller.inputs.clear();
        EXPECT_EQ(run("scancel", {condition, "6_[0-3998:2]"}, {}, "y\n").code, 0) << condition;
        std::vector<std::uint32_t> ended;
        for (const ClientInput& input : controller.inputs) {
            const JobRef& ref = std::get<CancelJob>(input.command).job;
            EXPECT_EQ(ref.job, JobId(6));
            EXPECT_FALSE(ref.array_tasks.empty()) << condition << " ends the whole array";
            ended.insert(ended.end(), ref.array_tasks.begin(), ref.array_tasks.end());
        }
        std::vector<std::uint32_t> even;
        for (std::uint32_t task = 0; task < kTasks; task += 2) even.push_back(task);
        EXPECT_EQ(ended, even) << condition;
    }
    EXPECT_EQ(ended_by({"-u0", "-tPENDING", "6"}), "6_[0-3999]");
}

TEST_F(Scancel, SaysWhatIsNoUserNoStateNoNodeAndNoJob) {
    EXPECT_EQ(ended_by({"-u", "nosuchuser", "1"}),
              "scancel: error: Invalid user name: nosuchuser\n[exit 1]");
    EXPECT_EQ(ended_by({"-t", "FAILED", "1"}),
              "Invalid job state specified: FAILED\nValid job states are PENDING, RUNNING, and "
              "SUSPENDED\n[exit 1]");
    for (const char* words : {"1", "-u0"}) {
        EXPECT_EQ(ended_by({"-w", "", words}),
                  "scancel: error: --nodelist= names no node: it should be a list, like "
                  "gpu[1-3]\n[exit 1]");
    }
    EXPECT_EQ(ended_by({"-p", "main", "99"}),
              "scancel: error: Kill job error on job id 99: Invalid job id specified\n[exit 1]");
}

TEST_F(Scancel, VerboseSaysFirstWhichJobItEnds) {
    EXPECT_EQ(run("scancel", {"-v", "1"}).err, "scancel: Terminating job 1\n");
    EXPECT_EQ(run("scancel", {"-vvv", "2"}).err.substr(0, 25), "scancel: defined options\n");
}

TEST_F(Scancel, AsksAboutEachJobByItsNameAndPartition) {
    const Said said = run("scancel", {"-i", "1", "2"}, {}, "n\ny\n");
    EXPECT_EQ(said.out,
              "Cancel job_id=1 name=job1 partition=main [y/n]? "
              "Cancel job_id=2 name=job2 partition=debug [y/n]? ");
    EXPECT_EQ(ended_by({"-i", "1", "2"}, "n\ny\n"), "2");
}

}  // namespace
}  // namespace berth
