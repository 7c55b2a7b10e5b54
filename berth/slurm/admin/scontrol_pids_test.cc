// scontrol listpids on a made-up /proc.
#include "berth/slurm/admin/scontrol_pids.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;

std::string text_of(const std::optional<StepOfProcess>& found) {
    return found ? found->job + "." + found->step : "none";
}

TEST(ScontrolPids, FindTheStepInTheCgroups) {
    EXPECT_EQ(text_of(step_in_cgroups("0::/system.slice/slurmstepd.scope/job_12/step_0\n")),
              "12.0");
    EXPECT_EQ(text_of(step_in_cgroups("4:memory:/b/slurm/uid_5/job_7/step_batch/task_0\n0::/\n")),
              "7.batch");
    EXPECT_EQ(text_of(step_in_cgroups("0::/user.slice\n")), "none");
    EXPECT_EQ(text_of(step_in_cgroups("0::/job_x/step_0\n")), "none");
    EXPECT_EQ(text_of(step_in_cgroups("0::/job_12\n")), "none");
    EXPECT_EQ(text_of(step_in_cgroups("0::/job_12/step_0 (deleted)\n")), "none");
    EXPECT_EQ(text_of(step_in_cgroups("")), "none");
}

std::string environment(const Strings& variables) {
    std::string text;
    for (const std::string& one : variables) text += one + '\0';
    return text;
}

TEST(ScontrolPids, FindTheStepInTheEnvironmentWhereThereAreNoCgroups) {
    EXPECT_EQ(text_of(step_in_environment(
                  environment({"SLURM_JOB_ID=3", "SLURMD_NODENAME=n1", "SLURM_STEP_ID=1"}))),
              "3.1");
    EXPECT_EQ(text_of(step_in_environment(environment({"SLURM_JOB_ID=3", "SLURMD_NODENAME=n1"}))),
              "3.batch");
    EXPECT_EQ(text_of(step_in_environment(environment({"SLURM_JOB_ID=3"}))), "none")
        << "the shell of an allocation";
    EXPECT_EQ(text_of(step_in_environment(environment({"XSLURM_JOB_ID=3", "SLURMD_NODENAME=n"}))),
              "none");
}

class ListPids : public ::testing::Test {
protected:
    ListPids() { std::filesystem::create_directories(proc_); }
    ~ListPids() override { std::filesystem::remove_all(proc_); }

    void add(int pid, const std::string& cgroup, const Strings& variables) {
        const std::filesystem::path folder = proc_ / std::to_string(pid);
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "cgroup") << "0::" << cgroup << '\n';
        std::ofstream(folder / "environ") << environment(variables);
    }
    std::string listed(Strings words) {
        words.insert(words.begin(), "listpids");
        std::istringstream in;
        std::ostringstream out, err;
        Streams streams{in, out, err};
        const int code = list_pids(words, streams, proc_.string());
        EXPECT_EQ(code == 0, err.str().empty());
        return code == 0 ? out.str() : err.str();
    }

    const std::filesystem::path proc_ =
        ::testing::TempDir() + "/scontrol-pids-" + std::to_string(::getpid());
};

TEST_F(ListPids, ShowsTheProcessesOfEachStep) {
    add(1, "/init.scope", {});
    add(20, "/job_7/step_0",
        {"SLURM_TASK_PID=20", "SLURM_LOCALID=1", "SLURM_PROCID=5", "SLURMD_NODENAME=n1"});
    add(9, "/job_7/step_batch", {"SLURMD_NODENAME=n1"});
    add(21, "/job_7/step_0", {"SLURM_TASK_PID=20", "SLURM_LOCALID=1", "SLURM_PROCID=5"});
    add(5, "/job_12/step_batch", {"SLURMD_NODENAME=n2"});
    const std::string head = "PID      JOBID    STEPID   LOCALID GLOBALID\n";
    const std::string task = "20       7        0        1       5       \n",
                      child = "21       7        0        -       -       \n",
                      batch = "9        7        batch    -       -       \n",
                      other = "5        12       batch    -       -       \n";
    EXPECT_EQ(listed({}), head + other + task + child + batch);
    EXPECT_EQ(listed({"7"}), head + task + child + batch);
    EXPECT_EQ(listed({"7.batch"}), head + batch);
    EXPECT_EQ(listed({"*", "n2"}), head + other);
    EXPECT_EQ(listed({"8"}), "Job 8 does not exist on this node.\n");
    EXPECT_EQ(listed({"7.3"}), "Job step 7.3 does not exist on this node.\n");
    EXPECT_EQ(listed({"seven"}), "scontrol: error: Invalid job id seven: write JOB or JOB.STEP\n");
}

TEST_F(ListPids, SaysWhereThereAreNone) {
    add(1, "/init.scope", {});
    EXPECT_EQ(listed({}), "No job steps exist on this node.\n");
}

}  // namespace
}  // namespace berth::slurm
