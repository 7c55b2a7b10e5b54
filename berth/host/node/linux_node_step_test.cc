// Steps on real processes: tasks with ranks, and their streams carried to an srun.
#include "berth/host/node/linux_node_step_rig.h"

namespace berth {
namespace {

TEST_F(StepTest, RunsItsTasksWithRanksAndTellsOfEach) {
    const ExitStatus exit = run(step(0, 4,
                                     "echo rank $SLURM_PROCID of $SLURM_NTASKS; echo e >&2; "
                                     "exit $SLURM_LOCALID"));
    EXPECT_EQ(exit, (ExitStatus{3, 0}));  // The highest one.
    EXPECT_EQ(srun.hello->ranks, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(srun.out[rank], "rank " + std::to_string(rank) + " of 4\n");
        EXPECT_EQ(srun.err[rank], "e\n");
        EXPECT_EQ(srun.exits[rank], (ExitStatus{static_cast<std::int16_t>(rank), 0}));
        const auto place = [&](const std::string& what) {
            return std::find(srun.order.begin(), srun.order.end(), what + std::to_string(rank));
        };
        EXPECT_LT(place("out "), place("exit "));
    }
}

TEST_F(StepTest, PassesInputToOneTaskOrToAll) {
    start(step(0, 2, "cat"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.send(kAllTasks, "both\n");
    srun.send(1, "one\n");
    srun.send(kAllTasks, "");
    EXPECT_TRUE(serve_until([&] { return srun.exits.size() == 2; }));
    EXPECT_EQ(srun.out[0], "both\n");
    EXPECT_EQ(srun.out[1], "both\none\n");
}

TEST_F(StepTest, CarriesMuchOutputWhole) {
    run(step(0, 2, "head -c 3000000 /dev/zero | tr '\\0' x; echo end"));
    EXPECT_EQ(srun.out[0].size(), 3'000'004u);
    EXPECT_TRUE(srun.out[1].ends_with("xend\n"));
}

TEST_F(StepTest, DoesNotHangWhenSrunIsGone) {
    start(step(0, 1, "head -c 3000000 /dev/zero; echo $? > rc; cat; exit 5"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.die();
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{5, 0}));
    EXPECT_EQ(rig.text("rc"), "0\n");
}

TEST_F(StepTest, WaitsForASlowSrunAndLosesNothing) {
    start(step(0, 1, "head -c 2000000 /dev/zero; echo done > written"));
    ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
    srun.paused = true;
    serve_until([] { return false; }, 300);
    srun.paused = false;
    ASSERT_TRUE(serve_until([&] { return srun.exits.size() == 1; }));
    EXPECT_EQ(srun.out[0].size(), 2'000'000u);
}

// Output that srun has not read yet is buffered by the kernel of the step's host, which drops it if
// the step closes a connection with unread input: so the step must not close first.
TEST_F(StepTest, LosesNothingWhenSrunSendsWhatNobodyReadsAnyMore) {
    srun.take_little();
    for (std::uint32_t id = 0; id < 5; ++id) {
        srun.out.clear(), srun.exits.clear();
        start(step(id, 1, "sleep 0.1; head -c 300000 /dev/zero"));
        ASSERT_TRUE(serve_until([&] { return srun.hello.has_value(); }));
        srun.pester(std::chrono::milliseconds(400));
        ASSERT_TRUE(serve_until([&] { return srun.exits.size() == 1; }));
        EXPECT_EQ(srun.out[0].size(), 300'000u);
        srun.hang_up();
        rig.wait<RunExited>(rig.step_key(1, id));
    }
}

TEST_F(StepTest, FailsToStartIfNoSrunIsThere) {
    srun.die();
    start(step(0, 1, "touch ran"));
    const std::string why = rig.wait<RunFailedToStart>(rig.step_key(1, 0)).why;
    EXPECT_EQ(why.find("cannot reach srun at 127.0.0.1:"), 0u) << why;
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran"));
}

TEST_F(StepTest, StartsAllTasksOrNone) {
    LaunchStep launch = step(0, 3, "touch ran.$SLURM_PROCID");
    launch.std_out = "no-such-folder-%t/x";
    std::filesystem::create_directory(rig.work + "/no-such-folder-0");
    chmod((rig.work + "/no-such-folder-0").c_str(), 0777);
    start(launch);
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.step_key(1, 0)).why,
              "Could not open stdout file " + rig.work +
                  "/no-such-folder-1/x: No such file or directory");
    EXPECT_FALSE(std::filesystem::exists(rig.work + "/ran.0"));
    EXPECT_FALSE(rig.saw<RunStarted>(rig.step_key(1, 0)));
}

TEST_F(StepTest, LetsAProgramThatIsNotThereBeTheTasksOwnFault) {
    LaunchStep launch = step(0, 1, "");
    launch.arguments = {"no-such-program", "x"};
    EXPECT_EQ(run(launch), (ExitStatus{ENOENT, 0}));
    EXPECT_EQ(srun.err[0],
              "slurmstepd: error: execve(): no-such-program: No such file or directory\n");
    launch = step(1, 1, "");
    launch.arguments = {"/etc/passwd"};
    srun.exits.clear();
    ListeningSrun other;
    srun = std::move(other);
    launch.io_address = srun.address;
    EXPECT_EQ(run(launch), (ExitStatus{EACCES, 0}));
}

TEST_F(StepTest, WritesToOneFileOrOnePerTask) {
    LaunchStep launch = rig.step(job, 0, 3, "echo $SLURM_PROCID");
    launch.std_out = "each.%t";
    start(launch);
    rig.wait<RunExited>(rig.step_key(1, 0));
    EXPECT_EQ(rig.text("each.2"), "2\n");
    launch = rig.step(job, 1, 3, "echo $SLURM_PROCID");
    launch.std_out = "shared";
    start(launch);
    rig.wait<RunExited>(rig.step_key(1, 1));
    std::vector<std::string> lines = rig.lines("shared");
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, (std::vector<std::string>{"0", "1", "2"}));
}

TEST_F(StepTest, LabelsTheLinesOfItsFiles) {
    LaunchStep launch = step(0, 12, "echo out; echo err >&2; head -c 3 /dev/zero | tr '\\0' x");
    launch.label = true;
    launch.std_out = "by-task.%t";
    EXPECT_EQ(run(launch), (ExitStatus{0, 0}));
    EXPECT_EQ(rig.text("by-task.3"), " 3: out\n 3: err\n 3: xxx\n");
    EXPECT_EQ(rig.text("by-task.11"), "11: out\n11: err\n11: xxx\n");
    EXPECT_EQ(srun.out[3] + srun.err[3], "");
}

TEST_F(StepTest, LabelsOutputAndErrorsInFilesOfTheirOwn) {
    LaunchStep launch = step(0, 2, "head -c 200000 /dev/zero | tr '\\0' x; echo; echo err >&2");
    launch.label = true;
    launch.std_out = "out.%n";
    launch.std_err = "err.%n";
    EXPECT_EQ(run(launch), (ExitStatus{0, 0}));
    const std::string out = rig.text("out.0");
    EXPECT_EQ(std::ranges::count(out, 'x'), 400'000);
    for (const std::string& line : rig.lines("out.0")) {  // A long line comes in several.
        EXPECT_TRUE(line.starts_with("0: ") || line.starts_with("1: ")) << line.substr(0, 9);
        EXPECT_EQ(line.find_first_not_of('x', 3), std::string::npos);
    }
    std::vector<std::string> errors = rig.lines("err.0");
    std::ranges::sort(errors);
    EXPECT_EQ(errors, (std::vector<std::string>{"0: err", "1: err"}));
}

TEST_F(StepTest, EndsAStepAloneAndAllWithTheJob) {
    // A shell that ends while it forks would leave a child that the signal did not reach.
    start(step(0, 2, "exec sleep 1000"));
    rig.wait<RunStarted>(rig.step_key(1, 0));
    rig.signal(rig.step_key(1, 0), SIGTERM);
    EXPECT_EQ(rig.wait<RunExited>(rig.step_key(1, 0)).exit, (ExitStatus{0, SIGTERM}));
    rig.wait<RunEmpty>(rig.step_key(1, 0));
    EXPECT_FALSE(rig.saw<RunExited>(rig.batch(1)));
    LaunchStep second = rig.step(job, 1, 2, "sleep 1000");
    start(second);
    rig.wait<RunStarted>(rig.step_key(1, 1));
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunExited>(rig.step_key(1, 1));
    rig.wait<RunExited>(rig.batch(1));
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(StepTest, IsRefusedForAJobThatIsNotHere) {
    LaunchStep launch = step(0, 1, "true");
    launch.job = JobId{99};
    start(launch);
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.step_key(99, 0)).why,
              "its job does not run on this node");
}

TEST_F(StepTest, KeepsTheTokenFromItsTasks) {
    run(step(0, 1, "tr '\\0' '\\n' < /proc/$PPID/cmdline; env; cat /proc/$PPID/environ 2>&1"));
    EXPECT_EQ(srun.out[0].find("t0ken"), std::string::npos) << srun.out[0];
}

}  // namespace
}  // namespace berth
