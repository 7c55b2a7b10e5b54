#include "berth/host/run/run_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth {
namespace {

// Two sockets of 64 cores, eight GPUs; CPU i is core i.
NodeView big_node() {
    NodeView view;
    const DimensionId gpu = *view.dimensions.intern("gpu", "a100");
    view.node.name = "gpu1";
    view.node.sockets = 2;
    view.node.cores_per_socket = 64;
    for (int core = 0; core < 128; ++core) view.cpus_of_core.push_back({core});
    for (std::uint32_t i = 0; i < 8; ++i) {
        view.node.devices.push_back({.dimension = gpu, .index = i});
    }
    view.hostname = "machine";
    return view;
}

BitSet cores_from(std::size_t first, std::size_t count) {
    BitSet cores(128);
    for (std::size_t i = 0; i < count; ++i) cores.set(first + i);
    return cores;
}

LaunchAttempt whole_node() {
    LaunchAttempt launch;
    launch.job = JobId{12};
    launch.attempt = Attempt{1};
    launch.owner = {1000, 1000, "ada", "ada"};
    launch.spec.name = "train";
    launch.cluster = "c";
    launch.partition = "main";
    launch.share.devices = 0xff;
    launch.share.cores = BitSet::all(128);
    launch.share.cpus = 128;
    launch.shares = {launch.share};
    launch.node_names = {"gpu1"};
    return launch;
}

// Eight tasks, each with one GPU and 16 cores.
LaunchStep eight_tasks() {
    LaunchStep step;
    step.job = JobId{12};
    step.attempt = Attempt{1};
    step.step = StepId{3};
    step.tasks = 8;
    step.tasks_per_node = {8};
    step.node_names = {"gpu1"};
    step.cpus_per_task = 16;
    step.arguments = {"train"};
    step.environment = {"PATH=/bin", "SLURM_NTASKS=1", "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7"};
    step.work_dir = "/home/ada";
    step.io_address = "127.0.0.1:4711";
    step.share.cores = BitSet::all(128);
    step.share.devices = 0xff;
    for (std::uint32_t i = 0; i < 8; ++i) {
        step.share.tasks.push_back({i, cores_from(16 * i, 16), bit(static_cast<int>(i))});
    }
    return step;
}

UserRecord ada() { return {1000, 1000, "ada", "/home/ada", "/bin/sh"}; }

std::string value(const TaskSpec& task, const RunSpec& run, std::string_view name) {
    Environment all(run.environment);
    all.add(task.environment);
    return std::string(all.get(name).value_or("(unset)"));
}

TEST(RunPlan, GivesEachOfEightTasksItsGpuAndItsCores) {
    const RunSpec run = step_run(eight_tasks(), whole_node(), big_node(), ada());
    ASSERT_EQ(run.tasks.size(), 8u);
    const std::pair<const char*, const char*> expected[] = {
        {"0", "0-15"},  {"1", "16-31"}, {"2", "32-47"},  {"3", "48-63"},
        {"4", "64-79"}, {"5", "80-95"}, {"6", "96-111"}, {"7", "112-127"}};
    for (std::size_t i = 0; i < 8; ++i) {
        const TaskSpec& task = run.tasks[i];
        EXPECT_EQ(task.cpus, expected[i].second);
        for (const char* name : {"CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS", "SLURM_PROCID",
                                 "SLURM_LOCALID", "ROCR_VISIBLE_DEVICES"}) {
            EXPECT_EQ(value(task, run, name), expected[i].first) << name << " of task " << i;
        }
        EXPECT_EQ(value(task, run, "SLURM_JOB_GPUS"), "0,1,2,3,4,5,6,7");
    }
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_CPU_BIND_TYPE"), "mask_cpu:");
    const std::string masks = value(run.tasks[0], run, "SLURM_CPU_BIND_LIST");
    EXPECT_EQ(masks.substr(0, 33), "0x0000FFFF,0xFFFF0000,0x0000FFFF0");
}

TEST(RunPlan, TasksRunOnAsManyThreadsOfTheirCoresAsTheJobSays) {
    NodeView node = big_node();
    node.node.threads_per_core = 2;
    for (int core = 0; core < 128; ++core)
        node.cpus_of_core[static_cast<std::size_t>(core)] = {core, 128 + core};
    LaunchAttempt job = whole_node();
    EXPECT_EQ(step_run(eight_tasks(), job, node, ada()).tasks[0].cpus, "0-15,128-143");
    job.spec.request.edit().nearness.edit().node.threads_per_core = 1;
    const RunSpec run = step_run(eight_tasks(), job, node, ada());
    EXPECT_EQ(run.tasks[0].cpus, "0-15");
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_CPU_BIND_LIST").substr(0, 10), "0x0000FFFF");
    LaunchStep unbound = eight_tasks();
    unbound.is_unbound = true;
    EXPECT_EQ(step_run(unbound, job, node, ada()).tasks[0].cpus, "0-15,128-143");
}

TEST(RunPlan, TasksKeepTheNumbersOfTheirSrunIfItSaysSo) {
    LaunchStep step = eight_tasks();
    step.environment.emplace_back("SLURM_NTASKS=3");
    RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_NTASKS"), "8");
    step.preserve_env = true;
    run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_NTASKS"), "3");
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_NPROCS"), "8");  // srun had none.
}

TEST(RunPlan, TellsAStepOfItselfAndOfItsJob) {
    const RunSpec run = step_run(eight_tasks(), whole_node(), big_node(), ada());
    const std::pair<const char*, const char*> expected[] = {
        {"SLURM_STEP_ID", "3"},
        {"SLURM_STEPID", "3"},
        {"SLURM_STEP_NODELIST", "gpu1"},
        {"SLURM_STEP_NUM_NODES", "1"},
        {"SLURM_STEP_NUM_TASKS", "8"},
        {"SLURM_STEP_TASKS_PER_NODE", "8"},
        {"SLURM_NTASKS", "8"},
        {"SLURM_NPROCS", "8"},
        {"SLURM_CPUS_PER_TASK", "16"},
        {"SLURM_CPUS_ON_NODE", "128"},
        {"SLURM_GPUS_ON_NODE", "8"},
        {"SLURM_GTIDS", "0,1,2,3,4,5,6,7"},
        {"SLURM_NODEID", "0"},
        {"SLURM_JOB_ID", "12"},
        {"SLURM_JOB_NODELIST", "gpu1"},
        {"SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"},
        {"SLURM_SRUN_COMM_PORT", "4711"},
        {"SLURMD_NODENAME", "gpu1"},
        {"HOSTNAME", "machine"},
        {"PATH", "/bin"},
    };
    for (const auto& [name, text] : expected) {
        EXPECT_EQ(value(run.tasks[5], run, name), text) << name;
    }
}

TEST(RunPlan, TellsTheMpiServerOfTheStep) {
    LaunchStep step = eight_tasks();
    EXPECT_EQ(step_run(step, whole_node(), big_node(), ada()).mpi.kind, "");
    step.mpi = "pmi2";
    step.process_mapping = "(vector,(0,1,8))";
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(run.mpi.kind, "pmi2");
    EXPECT_EQ(run.mpi.name, "12." + to_string(step.step));
    EXPECT_EQ(run.mpi.tasks, 8U);
    EXPECT_EQ(run.mpi.node_count, 1U);
    EXPECT_EQ(run.mpi.nodes, "gpu1");
    EXPECT_EQ(run.mpi.mapping, "(vector,(0,1,8))");
    EXPECT_EQ(run.mpi.ranks, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(value(run.tasks[5], run, "SLURM_MPI_TYPE"), "pmi2");
}

TEST(RunPlan, NumbersGpusWithinTheStepWhereDevicesAreIsolated) {
    NodeView view = big_node();
    view.devices_isolated = true;
    LaunchStep step = eight_tasks();
    step.share.devices = bit(2) | bit(5);
    step.share.tasks.resize(2);
    step.share.tasks[0].devices = bit(2);
    step.share.tasks[1].devices = bit(5);
    const RunSpec run = step_run(step, whole_node(), view, ada());
    EXPECT_EQ(value(run.tasks[0], run, "CUDA_VISIBLE_DEVICES"), "0");
    EXPECT_EQ(value(run.tasks[1], run, "CUDA_VISIBLE_DEVICES"), "1");
    EXPECT_EQ(value(run.tasks[1], run, "SLURM_STEP_GPUS"), "5");
    EXPECT_EQ(value(run.tasks[1], run, "SLURM_GPUS_ON_NODE"), "2");
}

TEST(RunPlan, UnsetsTheGpusOfAStepWithoutAny) {
    LaunchStep step = eight_tasks();
    step.environment.push_back("SLURM_GPUS_ON_NODE=8");
    step.share.devices = 0;
    for (TaskPlace& task : step.share.tasks) task.devices = 0;
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    for (const char* name :
         {"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE"}) {
        EXPECT_EQ(value(run.tasks[0], run, name), "(unset)") << name;
    }
}

TEST(RunPlan, PinsNothingOnANodeThatIsNotThisMachine) {
    NodeView view = big_node();
    view.cpus_of_core.clear();
    const RunSpec run = step_run(eight_tasks(), whole_node(), view, ada());
    EXPECT_EQ(run.tasks[3].cpus, "");
    EXPECT_EQ(value(run.tasks[3], run, "SLURM_CPU_BIND"), "(unset)");
}

TEST(RunPlan, SaysHowGpusWereBoundIfAsked) {
    LaunchStep step = eight_tasks();
    step.gpu_bind_verbose = true;
    step.share.tasks[1].devices = bit(2) | bit(3);
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(run.tasks[1].notice,
              "gpu-bind: usable_gres=0xC; bit_alloc=0xFF; local_inx=8; global_list=2,3; "
              "local_list=2,3\n");
}

TEST(RunPlan, SaysToWhichCpusTasksAreBoundIfAsked) {
    LaunchStep step = eight_tasks();
    NodeView view = big_node();
    view.node.name = "gpu1";
    EXPECT_EQ(step_run(step, whole_node(), view, ada()).tasks[1].notice, "");
    step.cpu_bind_verbose = true;
    RunSpec run = step_run(step, whole_node(), view, ada());
    EXPECT_EQ(run.tasks[1].notice, "cpu-bind=MASK - gpu1, task  1  1 [PID]: mask 0xFFFF0000 set\n");
    EXPECT_EQ(value(run.tasks[1], run, "SLURM_CPU_BIND_VERBOSE"), "verbose");
    EXPECT_EQ(value(run.tasks[1], run, "SLURM_CPU_BIND").substr(0, 17), "verbose,mask_cpu:");
    step.is_unbound = true;
    run = step_run(step, whole_node(), view, ada());
    EXPECT_TRUE(run.tasks[0].notice.starts_with("cpu-bind=NONE - gpu1, task  0  0 [PID]: "));
}

TEST(RunPlan, BindsTasksToTheCpusThatAreNamed) {
    LaunchStep step = eight_tasks();
    step.is_unbound = true;
    for (TaskPlace& task : step.share.tasks) task.cores = cores_from(32, 64);
    const auto cpus = [&](const char* bind) {
        step.cpu_bind = bind;
        const RunSpec run = step_run(step, whole_node(), big_node(), ada());
        return run.tasks[0].cpus + " " + run.tasks[1].cpus + " " + run.tasks[2].cpus;
    };
    EXPECT_EQ(cpus(""), "32-95 32-95 32-95");
    EXPECT_EQ(cpus("rank"), "32 33 34");
    EXPECT_EQ(cpus("map_cpu:40,50"), "40 50 40");
    EXPECT_EQ(cpus("mask_cpu:0xF00000000,0xFFFFFFFFF"), "32-35 32-35 32-35") << "of the step's own";
    EXPECT_EQ(cpus("map_cpu:40,0"), "40 32-95 40") << "0 is not the step's";
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(run.tasks[0].notice, "");
    EXPECT_EQ(run.tasks[1].notice,
              "slurmstepd: error: --cpu-bind=map_cpu:40,0 names no CPU of the step for task 1, "
              "which has all of them: 32-95\n");
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_CPU_BIND"), "quiet,map_cpu:40,0");
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_CPU_BIND_TYPE"), "map_cpu:");
    EXPECT_EQ(value(run.tasks[0], run, "SLURM_CPU_BIND_LIST"), "40,0");
}

TEST(RunPlan, SaysByWhichNumbersTasksAreBound) {
    LaunchStep step = eight_tasks();
    step.is_unbound = step.cpu_bind_verbose = true;
    for (TaskPlace& task : step.share.tasks) task.cores = BitSet::all(128);
    const auto notice = [&](const char* bind) {
        step.cpu_bind = bind;
        return step_run(step, whole_node(), big_node(), ada()).tasks[1].notice;
    };
    const std::string task = " - gpu1, task  1  1 [PID]: mask ";
    EXPECT_EQ(notice("map_cpu:3,4"), "cpu-bind=MAP " + task + "0x10 set\n");
    EXPECT_EQ(notice("mask_cpu:0x6"), "cpu-bind=MASK" + task + "0x6 set\n");
    EXPECT_EQ(notice("rank"), "cpu-bind=RANK" + task + "0x2 set\n");
}

TEST(RunPlan, SetsTheSpeedOfTheCpusOfItsTasksIfAsked) {
    LaunchStep step = eight_tasks();
    NodeView view = big_node();
    EXPECT_TRUE(step_run(step, whole_node(), view, ada()).cpus.empty());
    step.cpu_frequency = "Performance";
    const RunSpec run = step_run(step, whole_node(), view, ada());
    EXPECT_EQ(run.cpu_frequency, "Performance");
    ASSERT_EQ(run.cpus.size(), 128U);
    EXPECT_EQ(run.cpus.back(), 127U);
    view.cpus_of_core.clear();
    EXPECT_EQ(step_run(step, whole_node(), view, ada()).cpu_frequency, "") << "not its own CPUs";
}

struct StreamCase {
    const char* pattern;
    std::size_t task;
    StreamSpec expected;
};

TEST(RunPlan, SendsAStepsOutputWhereItIsWanted) {
    const StreamCase cases[] = {
        {"", 0, {StreamKind::srun, "", false}},
        {"all", 1, {StreamKind::srun, "", false}},
        {"none", 1, {StreamKind::nothing, "", false}},
        {"/dev/null", 1, {StreamKind::nothing, "", false}},
        {"1", 1, {StreamKind::srun, "", false}},
        {"1", 0, {StreamKind::nothing, "", false}},
        {"7", 7, {StreamKind::srun, "", false}},
        {"8", 7, {StreamKind::file, "/home/ada/8", false}},  // There is no task 8.
        {"out", 0, {StreamKind::file, "/home/ada/out", true}},
        // Truncated once, by the first task.
        {"out", 1, {StreamKind::file, "/home/ada/out", false}},
        {"out.%t", 1, {StreamKind::file, "/home/ada/out.1", true}},
        {"/x/%J.%N.%n", 0, {StreamKind::file, "/x/12.3.gpu1.0", true}},
        {"%x-%s-%02t", 7, {StreamKind::file, "/home/ada/train-3-07", true}},
    };
    for (const StreamCase& one : cases) {
        LaunchStep step = eight_tasks();
        step.std_out = one.pattern;
        const RunSpec run = step_run(step, whole_node(), big_node(), ada());
        EXPECT_TRUE(run.tasks[one.task].out == one.expected)
            << one.pattern << " of task " << one.task << ": " << run.tasks[one.task].out.path
            << (run.tasks[one.task].out.truncate ? ", cut" : "");
    }
}

TEST(RunPlan, LabelsTheLinesOfFilesButNotOfInput) {
    LaunchStep step = eight_tasks();
    step.label = true;
    step.tasks = 16;
    step.std_out = "out.%t";
    step.std_in = "in.%t";
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(run.tasks[3].out.label, " 3: ");
    EXPECT_EQ(run.tasks[3].in.label, "");
}

TEST(RunPlan, TellsAScriptItsCheckpoint) {
    LaunchAttempt launch = whole_node();
    JobCommand& command = launch.spec.command.edit();
    command.work_dir = "/home/ada";
    EXPECT_EQ(batch_run(launch, big_node(), ada()).checkpoint, "");
    command.checkpoint = "run-%j/model.pt";
    const RunSpec run = batch_run(launch, big_node(), ada());
    EXPECT_EQ(run.checkpoint, "/home/ada/run-12/model.pt");
    EXPECT_NE(std::ranges::find(run.environment, "BERTH_CHECKPOINT=/home/ada/run-12/model.pt"),
              run.environment.end());
    command.checkpoint = "/scratch/%x.pt";
    EXPECT_EQ(batch_run(launch, big_node(), ada()).checkpoint, "/scratch/train.pt");
}

TEST(RunPlan, NoNodeTruncatesAFileThatOthersWrite) {
    LaunchStep step = eight_tasks();
    step.node_names = {"gpu1", "gpu2"};
    const auto first_truncates = [&](const char* pattern) {
        step.std_out = pattern;
        return step_run(step, whole_node(), big_node(), ada()).tasks[0].out.truncate;
    };
    EXPECT_FALSE(first_truncates("out"));
    EXPECT_TRUE(first_truncates("out.%N"));
    EXPECT_TRUE(first_truncates("out.%t"));
    step.append_output = true;
    EXPECT_FALSE(first_truncates("out.%t"));
}

TEST(RunPlan, ErrorsGoIntoTheOutputsPipeIfSrunWritesOneFileForBoth) {
    LaunchStep step = eight_tasks();
    step.std_out = "all";
    step.errors_with_output = true;
    const RunSpec run = step_run(step, whole_node(), big_node(), ada());
    EXPECT_EQ(run.tasks[3].out.kind, StreamKind::srun);
    EXPECT_EQ(run.tasks[3].err.kind, StreamKind::same_as_out);
}

TEST(RunPlan, UmaskAndLimitsOfTheShellGoToTheRun) {
    const Inherited shell{.umask = 027, .limits = {{.kind = RlimitKind::nofile, .soft = 99}}};
    LaunchStep step = eight_tasks();
    step.inherited = shell;
    EXPECT_TRUE(step_run(step, whole_node(), big_node(), ada()).inherited == shell);
    LaunchAttempt job = whole_node();
    job.spec.command.edit().inherited = shell;
    EXPECT_TRUE(batch_run(job, big_node(), ada()).inherited == shell);
}

TEST(RunPlan, PutsErrorsWithTheOutputUnlessToldOtherwise) {
    LaunchStep step = eight_tasks();
    EXPECT_EQ(step_run(step, whole_node(), big_node(), ada()).tasks[0].err.kind, StreamKind::srun);
    step.std_out = "out";
    EXPECT_EQ(step_run(step, whole_node(), big_node(), ada()).tasks[0].err.kind,
              StreamKind::same_as_out);
    step.std_err = "err";
    EXPECT_EQ(step_run(step, whole_node(), big_node(), ada()).tasks[0].err.path, "/home/ada/err");
    LaunchAttempt job = whole_node();
    job.spec.command.edit().work_dir = "/home/ada";
    EXPECT_EQ(batch_run(job, big_node(), ada()).tasks[0].out.path, "/home/ada/slurm-12.out");
    EXPECT_EQ(batch_run(job, big_node(), ada()).tasks[0].err.kind, StreamKind::same_as_out);
    job.spec.command.edit().std_err = "slurm-%j.out";
    EXPECT_EQ(batch_run(job, big_node(), ada()).tasks[0].err.kind, StreamKind::same_as_out);
    job.array_task = 2;
    job.array_job = JobId{10};
    EXPECT_EQ(batch_run(job, big_node(), ada()).tasks[0].out.path, "/home/ada/slurm-10_2.out");
}

}  // namespace
}  // namespace berth
