#include "berth/host/run/job_environment.h"
#include "berth/model/job_variables.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth {
namespace {

// The node and the users of the machine on which Debian's Slurm was run.
NodeView node_gpu1() {
    NodeView view;
    const DimensionId gpu = *view.dimensions.intern("gpu", "a100");
    view.node.name = "gpu1";
    view.node.sockets = 2;
    view.node.cores_per_socket = 16;
    for (std::uint32_t i = 0; i < 8; ++i) {
        view.node.devices.push_back({.dimension = gpu, .index = i});
    }
    view.hostname = "vm";
    view.environment = {"SLURM_CONF=/srv/oracle/etc/slurm.conf"};
    return view;
}

UserRecord games() { return {5, 60, "games", "/usr/games", "/usr/sbin/nologin"}; }

LaunchAttempt launch_of(std::uint32_t id, const std::string& name, std::uint32_t cpus,
                        DeviceMask devices) {
    LaunchAttempt launch;
    launch.job = JobId{id};
    launch.attempt = Attempt{1};
    launch.batch_host = true;
    launch.owner = {5, 60, "games", "games"};
    launch.spec.name = name;
    launch.spec.account = "physics";
    launch.spec.command.edit().work_dir = "/home/user";
    launch.spec.command.edit().submit_host = "vm";
    launch.spec.request.edit().memory_per_cpu = mib(2000);
    launch.partition = "main";
    launch.qos = "normal";
    launch.cluster = "oracle";
    launch.node_names = {"gpu1"};
    launch.share.cpus = cpus;
    launch.share.tasks = 1;
    launch.share.devices = devices;
    launch.shares = {launch.share};
    launch.started_at = from_seconds(1'800'000'000);
    return launch;
}

std::vector<std::string> settings_with(const Environment& environment, const char* prefix) {
    std::vector<std::string> all;
    for (const std::string& one : environment.settings()) {
        if (one.starts_with(prefix)) all.push_back(one);
    }
    std::ranges::sort(all);
    return all;
}

using Lines = std::vector<std::string>;

// What Slurm 22.05 gave these three jobs, with three kinds of difference. Slurm 25.11 has no
// SLURM_NODE_ALIASES, and adds the job's start time and group. SLURM_WORKING_CLUSTER names Slurm's
// own daemons. SLURM_TASK_PID is set elsewhere, for each task.
TEST(JobEnvironment, IsThatOfSlurmForTwoTasksWithGres) {
    LaunchAttempt launch = launch_of(1, "train", 8, 0b11);
    launch.spec.request.edit().tasks = 2;
    launch.spec.request.edit().cpus_per_task = 4;
    launch.share.tasks = 2;
    launch.shares = {launch.share};
    const Environment environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(settings_with(environment, "SLURM_"), (Lines{"SLURM_CLUSTER_NAME=oracle",
                                                           "SLURM_CONF=/srv/oracle/etc/slurm.conf",
                                                           "SLURM_CPUS_ON_NODE=8",
                                                           "SLURM_CPUS_PER_TASK=4",
                                                           "SLURM_GPUS_ON_NODE=2",
                                                           "SLURM_GTIDS=0",
                                                           "SLURM_JOBID=1",
                                                           "SLURM_JOB_ACCOUNT=physics",
                                                           "SLURM_JOB_CPUS_PER_NODE=8",
                                                           "SLURM_JOB_GID=60",
                                                           "SLURM_JOB_GPUS=0,1",
                                                           "SLURM_JOB_GROUP=games",
                                                           "SLURM_JOB_ID=1",
                                                           "SLURM_JOB_NAME=train",
                                                           "SLURM_JOB_NODELIST=gpu1",
                                                           "SLURM_JOB_NUM_NODES=1",
                                                           "SLURM_JOB_PARTITION=main",
                                                           "SLURM_JOB_QOS=normal",
                                                           "SLURM_JOB_START_TIME=1800000000",
                                                           "SLURM_JOB_UID=5",
                                                           "SLURM_JOB_USER=games",
                                                           "SLURM_LOCALID=0",
                                                           "SLURM_MEM_PER_CPU=2000",
                                                           "SLURM_NNODES=1",
                                                           "SLURM_NODEID=0",
                                                           "SLURM_NODELIST=gpu1",
                                                           "SLURM_NPROCS=2",
                                                           "SLURM_NTASKS=2",
                                                           "SLURM_PRIO_PROCESS=0",
                                                           "SLURM_PROCID=0",
                                                           "SLURM_SUBMIT_DIR=/home/user",
                                                           "SLURM_SUBMIT_HOST=vm",
                                                           "SLURM_TASKS_PER_NODE=2",
                                                           "SLURM_TOPOLOGY_ADDR=gpu1",
                                                           "SLURM_TOPOLOGY_ADDR_PATTERN=node"}));
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "0,1");
    EXPECT_EQ(environment.get("GPU_DEVICE_ORDINAL"), "0,1");
    EXPECT_EQ(environment.get("ROCR_VISIBLE_DEVICES"), "0,1");
    EXPECT_EQ(environment.get("SLURMD_NODENAME"), "gpu1");
}

TEST(JobEnvironment, SaysHowManyTasksAndGpusOnlyWhereTheUserDid) {
    LaunchAttempt launch = launch_of(7, "gpusflag", 3, 0b1110000);
    launch.spec.request.edit().cpus_per_task = 3;
    launch.spec.request.edit().gpus = {{"gpu", "", 3}};
    Environment environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("SLURM_GPUS"), "3");
    EXPECT_EQ(environment.get("SLURM_JOB_GPUS"), "4,5,6");
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "4,5,6");
    EXPECT_EQ(environment.get("SLURM_TASKS_PER_NODE"), "1");
    for (const char* absent : {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE",
                               "SLURM_GPUS_PER_NODE", "SLURM_GPUS_PER_TASK", "SLURM_MEM_PER_NODE",
                               "SLURM_ARRAY_JOB_ID", "SLURM_RESTART_COUNT", "SLURM_STEP_ID"}) {
        EXPECT_FALSE(environment.get(absent)) << absent;
    }
    launch = launch_of(8, "bare", 1, 0);
    launch.spec.request.edit().memory_per_cpu.reset();
    environment = batch_environment(launch, node_gpu1(), games());
    for (const char* absent : {"SLURM_GPUS", "SLURM_GPUS_ON_NODE", "SLURM_JOB_GPUS",
                               "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "SLURM_CPUS_PER_TASK",
                               "ROCR_VISIBLE_DEVICES", "SLURM_MEM_PER_CPU"}) {
        EXPECT_FALSE(environment.get(absent)) << absent;
    }
    launch.spec.request.edit().memory_per_node = gib(4);
    launch.spec.request.edit().gpus_per_node = {{"gpu", "a100", 2}};
    launch.spec.request.edit().gpus_per_task = {{"gpu", "", 1}};
    launch.spec.request.edit().tasks_per_node = 4;
    launch.spec.command.edit().gpu_bind = "closest";
    launch.spec.command.edit().export_env = "NONE";
    launch.restarts = 2;
    launch.shares[0].tasks = 4;
    launch.ends_at = from_seconds(1'800'000'600);
    environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("SLURM_MEM_PER_NODE"), "4096");
    EXPECT_EQ(environment.get("SLURM_GPUS_PER_NODE"), "a100:2");
    EXPECT_EQ(environment.get("SLURM_GPUS_PER_TASK"), "1");
    EXPECT_EQ(environment.get("SLURM_NTASKS_PER_NODE"), "4");
    EXPECT_EQ(environment.get("SLURM_NTASKS"), "4");
    EXPECT_EQ(environment.get("SLURM_GPU_BIND"), "closest");
    EXPECT_EQ(environment.get("SLURM_EXPORT_ENV"), "NONE");
    EXPECT_EQ(environment.get("SLURM_RESTART_COUNT"), "2");
    EXPECT_EQ(environment.get("SLURM_JOB_END_TIME"), "1800000600");
}

TEST(JobEnvironment, SaysHowTasksLieWhereTheUserDid) {
    LaunchAttempt launch = launch_of(9, "j", 1, 0);
    Environment environment = batch_environment(launch, node_gpu1(), games());
    for (const char* absent : {"SLURM_NTASKS_PER_SOCKET", "SLURM_NTASKS_PER_CORE",
                               "SLURM_OVERCOMMIT", "SLURM_DISTRIBUTION", "SLURM_GPUS_PER_SOCKET"})
        EXPECT_FALSE(environment.get(absent)) << absent;
    JobRequest& request = launch.spec.request.edit();
    request.gpus_per_node = {{"gpu", "a100", 4}};
    request.nearness.edit().layout = {.per_socket = 2,
                                      .per_core = 1,
                                      .over_sockets = CoreOrder::cyclic,
                                      .overcommit = true,
                                      .gpus_per_socket = 2};
    environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("SLURM_NTASKS_PER_SOCKET"), "2");
    EXPECT_EQ(environment.get("SLURM_NTASKS_PER_CORE"), "1");
    EXPECT_EQ(environment.get("SLURM_OVERCOMMIT"), "1");
    EXPECT_EQ(environment.get("SLURM_DISTRIBUTION"), "*:cyclic");
    EXPECT_EQ(environment.get("SLURM_GPUS_PER_SOCKET"), "a100:2");
    EXPECT_FALSE(environment.get("SLURM_GPUS_PER_NODE"));
    request.nearness.edit().task_order = TaskOrder::block;
    request.nearness.edit().layout = {.over_cores = CoreOrder::fcyclic, .pack = true};
    environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("SLURM_DISTRIBUTION"), "block:*:fcyclic,pack");
}

TEST(JobEnvironment, CountsGpusFromZeroWhereAJobSeesOnlyItsOwn) {
    NodeView view = node_gpu1();
    view.devices_isolated = true;
    const Environment environment =
        batch_environment(launch_of(2, "j", 1, bit(0) | bit(2) | bit(5)), view, games());
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "0,1,2");
    EXPECT_EQ(environment.get("SLURM_JOB_GPUS"), "0,2,5");
}

TEST(JobEnvironment, NamesMigInstancesToCuda) {
    NodeView view;
    const DimensionId gpu = *view.dimensions.intern("gpu", "1g.10gb");
    view.node.devices = {
        {.dimension = gpu, .index = 0, .file = "/dev/nvidia0,/dev/cap21", .uuid = "MIG-a"},
        {.dimension = gpu, .index = 1, .file = "/dev/nvidia0,/dev/cap66", .uuid = "MIG-b"},
        {.dimension = gpu, .index = 2, .file = "/dev/nvidia1"}};
    view.devices_isolated = true;
    Environment environment;
    set_gpus(environment, 0b010, 0b010, view);
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "MIG-b");
    EXPECT_EQ(environment.get("ROCR_VISIBLE_DEVICES"), "0");
    set_gpus(environment, 0b011, 0b011, view);
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "MIG-a,MIG-b");
    set_gpus(environment, 0b100, 0b100, view);
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "0");
}

TEST(JobEnvironment, LeavesOtherGresOutOfCuda) {
    NodeView view = node_gpu1();
    const DimensionId fpga = *view.dimensions.intern("fpga", "");
    view.node.devices.insert(view.node.devices.begin(), {.dimension = fpga, .index = 0});
    const Environment environment =
        batch_environment(launch_of(2, "j", 1, bit(0) | bit(3)), view, games());
    EXPECT_EQ(environment.get("CUDA_VISIBLE_DEVICES"), "2");
    EXPECT_EQ(environment.get("SLURM_GPUS_ON_NODE"), "1");
}

TEST(JobEnvironment, BeginsFromScratchAndLetsTheUserWin) {
    LaunchAttempt launch = launch_of(1, "j", 1, 0);
    Environment environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("HOME"), "/usr/games");
    EXPECT_EQ(environment.get("USER"), "games");
    EXPECT_EQ(environment.get("LOGNAME"), "games");
    EXPECT_EQ(environment.get("SHELL"), "/usr/sbin/nologin");
    EXPECT_EQ(environment.get("TMPDIR"), "/tmp");
    EXPECT_EQ(environment.get("HOSTNAME"), "vm");
    EXPECT_EQ(environment.get("ENVIRONMENT"), "BATCH");
    EXPECT_TRUE(environment.get("PATH")->starts_with("/usr/local/bin:"));
    launch.payload.environment = {"HOME=/home/ada",
                                  "PATH=/opt/bin",
                                  "TMPDIR=/scratch",
                                  "X=a=b",
                                  "no setting",
                                  "=nameless",
                                  "SLURM_SUBMIT_DIR=/home/ada/run"};
    environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("HOME"), "/home/ada");
    EXPECT_EQ(environment.get("PATH"), "/opt/bin");
    EXPECT_EQ(environment.get("TMPDIR"), "/scratch");
    EXPECT_EQ(environment.get("X"), "a=b");
    EXPECT_EQ(environment.get("SLURM_SUBMIT_DIR"), "/home/ada/run");
}

TEST(JobEnvironment, TakesNothingOfTheJobAroundIt) {
    LaunchAttempt launch = launch_of(9, "inner", 1, 0);
    launch.payload.environment = {
        "SLURM_JOB_ID=3",        "SLURM_NTASKS=64",    "SLURM_STEP_ID=0",
        "SLURM_ARRAY_TASK_ID=7", "SLURM_JOB_GPUS=0,1", "CUDA_VISIBLE_DEVICES=0,1",
        "SLURM_GPUS_PER_NODE=2", "SLURM_PROCID=5",     "SLURM_MPI_TYPE=pmix"};
    const Environment environment = batch_environment(launch, node_gpu1(), games());
    EXPECT_EQ(environment.get("SLURM_JOB_ID"), "9");
    EXPECT_EQ(environment.get("SLURM_PROCID"), "0");
    EXPECT_EQ(environment.get("SLURM_MPI_TYPE"), "pmix");  // The user may set it.
    for (const char* absent : {"SLURM_NTASKS", "SLURM_STEP_ID", "SLURM_ARRAY_TASK_ID",
                               "SLURM_JOB_GPUS", "CUDA_VISIBLE_DEVICES", "SLURM_GPUS_PER_NODE"}) {
        EXPECT_FALSE(environment.get(absent)) << absent;
    }
}

TEST(JobEnvironment, TellsATaskOfAnArrayWhichItIs) {
    LaunchAttempt launch = launch_of(23, "arr", 1, 0);
    launch.array_job = JobId{20};
    launch.array_task = 6;
    launch.array_bounds = {4, 0, 9, 3};
    EXPECT_EQ(
        settings_with(batch_environment(launch, node_gpu1(), games()), "SLURM_ARRAY_"),
        (Lines{"SLURM_ARRAY_JOB_ID=20", "SLURM_ARRAY_TASK_COUNT=4", "SLURM_ARRAY_TASK_ID=6",
               "SLURM_ARRAY_TASK_MAX=9", "SLURM_ARRAY_TASK_MIN=0", "SLURM_ARRAY_TASK_STEP=3"}));
}

TEST(JobEnvironment, FoldsWhatSeveralNodesHave) {
    LaunchAttempt launch = launch_of(3, "mpi", 8, 0);
    launch.node_names = {"gpu1", "gpu2", "gpu5"};
    launch.shares = {launch.share, launch.share, launch.share};
    launch.shares[1].node = launch.node = NodeId{1};
    launch.shares[2].node = NodeId{4};
    launch.shares[2].cpus = 4;
    launch.shares[0].tasks = launch.shares[1].tasks = 4;
    NodeView view = node_gpu1();
    view.node.name = "gpu2";
    view.node.switches = {"root", "rack1"};
    const Environment environment = batch_environment(launch, view, games());
    EXPECT_EQ(environment.get("SLURM_JOB_NODELIST"), "gpu[1-2,5]");
    EXPECT_EQ(environment.get("SLURM_JOB_NUM_NODES"), "3");
    EXPECT_EQ(environment.get("SLURM_JOB_CPUS_PER_NODE"), "8(x2),4");
    EXPECT_EQ(environment.get("SLURM_TASKS_PER_NODE"), "4(x2),1");
    EXPECT_EQ(environment.get("SLURM_NODEID"), "1");
    EXPECT_EQ(environment.get("SLURM_TOPOLOGY_ADDR"), "root.rack1.gpu2");
    EXPECT_EQ(environment.get("SLURM_TOPOLOGY_ADDR_PATTERN"), "switch.switch.node");
}

TEST(JobEnvironment, WritesCountsInRuns) {
    EXPECT_EQ(counts_text({}), "");
    EXPECT_EQ(counts_text({4}), "4");
    EXPECT_EQ(counts_text({4, 4, 1}), "4(x2),1");
    EXPECT_EQ(counts_text({1, 4, 4, 4, 1}), "1,4(x3),1");
}

TEST(Environment, KeepsEachNameOnceAndInOrder) {
    Environment environment({"A=1", "B=2", "A=3", std::string("C=\0x", 4), "D"});
    environment.set("B", "4");
    environment.unset("A");
    environment.set("E", 5);
    environment.set("A", "6");
    EXPECT_EQ(environment.settings(), (Lines{"B=4", "E=5", "A=6"}));
    EXPECT_FALSE(environment.get("C"));
}

}  // namespace
}  // namespace berth
