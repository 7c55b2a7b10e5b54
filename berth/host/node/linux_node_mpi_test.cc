// Steps whose tasks have an MPI server: real processes, and real MPI programs if an MPI is
// installed.
#include <cstdlib>
#include <fstream>

#include "berth/host/node/linux_node_step_rig.h"

namespace berth {
namespace {

// PMI-1 by the shell: a task sends a line and prints the answer.
constexpr const char* kSay = R"sh(
say() { printf '%s\n' "$1" >&$PMI_FD; }
hear() { IFS= read -r answer <&$PMI_FD; echo "$answer"; }
ask() { say "$1"; hear; }
)sh";

class MpiTest : public StepTest {
protected:
    LaunchStep mpi_step(std::uint32_t tasks, const std::string& shell,
                        const std::string& kind = "pmi2") const {
        LaunchStep launch = step(0, tasks, shell);
        launch.mpi = kind;
        launch.process_mapping = "(vector,(0,1," + std::to_string(tasks) + "))";
        return launch;
    }
    // The program of tests/clients, compiled for this MPI; empty: that MPI is not installed.
    std::string hello(const std::string& compiler) const {
        const std::string program = rig.work + "/hello";
        const std::string source = BERTH_SOURCE_DIR "/tests/clients/hello.c";
        const std::string command = compiler + " -o " + program + " " + source + " 2>/dev/null";
        return std::system(command.c_str()) == 0 ? program : "";
    }
    std::vector<std::string> sums(std::uint32_t tasks) const {
        std::vector<std::string> lines;
        const std::string sum = std::to_string(tasks * (tasks - 1) / 2);
        lines.reserve(tasks);
        for (std::uint32_t rank = 0; rank < tasks; ++rank) {
            lines.push_back("rank " + std::to_string(rank) + " of " + std::to_string(tasks) +
                            " on gpu1, sum " + sum + "\n");
        }
        return lines;
    }
};

TEST_F(MpiTest, TasksMeetByPmi) {
    const auto ended = run(mpi_step(3, std::string(kSay) + R"sh(
        ask "cmd=init pmi_version=1 pmi_subversion=1"
        ask "cmd=put kvsname=x key=k$PMI_RANK value=v$PMI_RANK"
        ask "cmd=barrier_in"
        ask "cmd=get kvsname=x key=k$(( (PMI_RANK + 1) % PMI_SIZE ))"
        ask "cmd=finalize")sh"));
    EXPECT_EQ(ended, ExitStatus{});
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(srun.out[rank],
                  "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n"
                  "cmd=put_result rc=0 msg=success\ncmd=barrier_out rc=0\n"
                  "cmd=get_result rc=0 msg=success value=v" +
                      std::to_string((rank + 1) % 3) + "\ncmd=finalize_ack rc=0\n")
            << srun.err[rank];
    }
}

TEST_F(MpiTest, TheServerHasTheRightsOfTheUserAndNoDescriptorTooMany) {
    const auto ended = run(mpi_step(2, R"sh(
        [ $SLURM_PROCID = 0 ] || { while [ ! -e looked ]; do sleep 0.1; done; exit; }
        for p in /proc/[0-9]*; do
            [ "$(cat $p/comm 2>/dev/null)" = berth-pmi ] || continue
            [ "$(stat -c %u $p)" = "$(id -u)" ] || continue
            ls $p/fd | tr '\n' ' '; grep -h NoNewPrivs $p/status | tr -d '\t'
        done
        > looked)sh"));
    EXPECT_EQ(ended, ExitStatus{});
    EXPECT_NE(srun.out[0].find("0 1 2 3 4 5 NoNewPrivs:1\n"), std::string::npos) << srun.out[0];
}

TEST_F(MpiTest, AnAbortReachesSrunThoughItsTaskWasTheLast) {
    (void)run(mpi_step(1, std::string(kSay) + "say 'cmd=abort exitcode=3'; exit 3"));
    EXPECT_EQ(srun.aborts, (std::map<std::uint32_t, std::string>{{0, "exit code 3"}}));
    EXPECT_EQ(srun.exits[0], (ExitStatus{3, 0}));
}

TEST_F(MpiTest, InputThatNobodyReadsYetHoldsNoFenceUp) {
    start(mpi_step(2, std::string(kSay) + R"sh(
        ask "cmd=init pmi_version=1 pmi_subversion=1"
        while [ ! -e go ]; do sleep 0.05; done
        ask "cmd=barrier_in"
        wc -c)sh"));
    ASSERT_TRUE(serve_until([&] { return srun.out[0].size() > 10 && srun.out[1].size() > 10; }));
    for (int i = 0; i < 16; ++i) srun.send(kAllTasks, std::string(40'000, 'x'));
    EXPECT_TRUE(serve_until([&] { return srun.holds == std::vector<bool>{true}; }));
    std::ofstream(rig.work + "/go").put('\n');
    EXPECT_TRUE(serve_until([&] {
        return srun.out[0].find("barrier_out rc=0") != std::string::npos &&
               srun.holds == (std::vector<bool>{true, false});
    })) << srun.out[0];
    srun.send(kAllTasks, "");
    EXPECT_TRUE(serve_until([&] { return srun.exits.size() == 2; }));
    EXPECT_NE(srun.out[1].find("640000\n"), std::string::npos) << srun.out[1];
    rig.wait<RunExited>(rig.step_key(1, 0));
}

// With MPICH's own library.
TEST_F(MpiTest, MpichMeetsByItself) {
    const std::string program = hello("mpicc.mpich");
    if (program.empty()) GTEST_SKIP() << "SKIPPED: needs mpicc.mpich (libmpich-dev)";
    EXPECT_EQ(run(mpi_step(4, "exec " + program)), ExitStatus{});
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(srun.out[rank], sums(4)[rank]) << srun.err[rank];
    }
}

TEST_F(MpiTest, OpenMpiMeetsByItself) {
    if (access(BERTH_PMIX, X_OK) != 0) GTEST_SKIP() << "SKIPPED: needs berth-pmix (libpmix-dev)";
    const std::string program = hello("mpicc.openmpi");
    if (program.empty()) GTEST_SKIP() << "SKIPPED: needs mpicc.openmpi (libopenmpi-dev)";
    EXPECT_EQ(run(mpi_step(4, "exec " + program, "pmix")), ExitStatus{});
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(srun.out[rank], sums(4)[rank]) << srun.err[rank];
    }
}

TEST_F(MpiTest, IsRefusedWhereTheNodeCannot) {
    start(mpi_step(1, "true", "pmix"));
    if (access(BERTH_PMIX, X_OK) == 0) {
        rig.wait<RunExited>(rig.step_key(1, 0));
        return;
    }
    ASSERT_TRUE(serve_until([&] { return rig.saw<RunFailedToStart>(rig.step_key(1, 0)); }));
    EXPECT_NE(rig.find<RunFailedToStart>(rig.step_key(1, 0))
                  ->why.find("cannot run steps with --mpi=pmix"),
              std::string::npos);
}

}  // namespace
}  // namespace berth
