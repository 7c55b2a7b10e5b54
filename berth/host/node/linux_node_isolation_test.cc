// What a hostile or careless job may try against its node.
#include <sys/sysmacros.h>

#include "berth/host/node/linux_node_rig.h"

namespace berth {
namespace {

class Isolation : public ::testing::Test {
protected:
    std::string missing(const char* controller) const {
        if (geteuid() != 0) return "needs root";
        const CgroupTree tree(find_cgroup_mounts(), CgroupRig::prefix());
        return tree.has(controller) ? "" : "no cgroup controller " + std::string(controller);
    }
    LinuxNodeRig rig;
};

#define BERTH_NEEDS(controller)                                    \
    if (const std::string why = missing(controller); !why.empty()) \
    GTEST_SKIP() << "SKIPPED: " << why

TEST_F(Isolation, StopsAForkBombAtItsLimitAndEndsIt) {
    BERTH_NEEDS("pids");
    rig.options.pids_max = 64;
    rig.open();
    rig.start(rig.job(1, "bomb() { bomb | bomb & }; touch lit; bomb; sleep 100"));
    ASSERT_TRUE(rig.wait_for_file(rig.work + "/lit"));
    for (int i = 0; i < 20; ++i) rig.pump(10);
    const CgroupTree tree(find_cgroup_mounts(), CgroupRig::prefix());
    EXPECT_LE(CgroupTree::processes(tree.job(rig.uid, JobId{1})).size(), 64u);
    rig.signal(rig.whole(1), SIGKILL);
    rig.wait<RunEmpty>(rig.whole(1));
}

TEST_F(Isolation, FindsADaemonThatForkedTwice) {
    BERTH_NEEDS("pids");
    rig.open();
    rig.start(rig.job(1,
                      "setsid sh -c '(setsid sleep 1000 & echo $! > pid) & ' & "
                      "while [ ! -s pid ]; do sleep 0.01; done"));
    rig.wait<RunExited>(rig.batch(1));
    const pid_t daemon = std::stoi(rig.text("pid"));
    EXPECT_EQ(kill(daemon, 0), 0);
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
    EXPECT_TRUE(kill(daemon, 0) != 0 ||
                rig.text("/proc/" + std::to_string(daemon) + "/stat").find(") Z") !=
                    std::string::npos);
}

TEST_F(Isolation, TellsThatMemoryRanOut) {
    BERTH_NEEDS("memory");
    rig.open();
    LaunchAttempt job = rig.job(1, "head -c 200m /dev/zero | tail -c 150m > /dev/null; echo rc $?");
    job.share.memory = mib(40);
    job.confinement.swap = true;
    rig.start(job);
    EXPECT_TRUE(rig.wait<RunExited>(rig.batch(1)).out_of_memory);
    EXPECT_NE(rig.text("out").find("slurmstepd: error: Detected 1 oom_kill event in "
                                   "StepId=1.batch. Some of the step tasks have been OOM Killed."),
              std::string::npos)
        << rig.text("out");
    rig.start(rig.job(2, "head -c 1m /dev/zero | tail -c 1m > /dev/null"));
    EXPECT_FALSE(rig.wait<RunExited>(rig.batch(2)).out_of_memory);
}

TEST_F(Isolation, KeepsAJobOnItsCores) {
    BERTH_NEEDS("cpuset");
    if (sysconf(_SC_NPROCESSORS_ONLN) < 3) GTEST_SKIP() << "SKIPPED: needs three CPUs";
    rig.options.cpus_of_core = {{0}, {2}, {1}};
    rig.open();
    LaunchAttempt job =
        rig.job(1, "grep Cpus_allowed_list /proc/self/status; taskset -p 1 $$ || echo no");
    job.share.cores = BitSet(3);
    job.share.cores.set(1);
    job.share.cores.set(2);
    job.confinement.cores = true;
    rig.start(job);
    rig.wait<RunExited>(rig.batch(1));
    EXPECT_EQ(rig.lines("out").front(), "Cpus_allowed_list:\t1-2");
    EXPECT_EQ(rig.lines("out").back(), "no");
}

// ---- GPU device files without hardware.

class GpuIsolation : public Isolation, public ::testing::WithParamInterface<DeviceBackend> {
protected:
    void make_gpus() {
        const DimensionId gpu = *rig.options.dimensions.intern("gpu", "a100");
        for (unsigned i = 0; i < 8; ++i) {
            Device device;
            device.dimension = gpu;
            device.index = i;
            device.file = rig.folder + "/nvidia" + std::to_string(i);
            made_ &= mknod(device.file.c_str(), S_IFCHR | 0666, gnu_dev_makedev(195, i)) == 0;
            chmod(device.file.c_str(), 0666);
            rig.options.node.devices.push_back(device);
        }
        rig.options.device_backend = GetParam();
    }
    std::string missing_here() const {
        if (geteuid() != 0) return "needs root";
        const CgroupTree tree(find_cgroup_mounts(), CgroupRig::prefix());
        if (GetParam() == DeviceBackend::v1 && !tree.has("devices")) return "no v1 devices";
        if (GetParam() == DeviceBackend::bpf && !tree.on_v2()) return "no cgroup v2";
        return made_ ? "" : "mknod is not allowed here";
    }
    std::string probe(int gpu) const {
        return "sh -c ': < " + rig.folder + "/nvidia" + std::to_string(gpu) +
               "' 2>&1 | sed 's/.*: //'";
    }
    bool made_ = true;
};

TEST_P(GpuIsolation, GivesAJobItsGpuAndNoOther) {
    make_gpus();
    if (const std::string why = missing_here(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    rig.open();
    LaunchAttempt job =
        rig.job(1, probe(2) + "; " + probe(3) + "; echo $CUDA_VISIBLE_DEVICES $SLURM_JOB_GPUS");
    job.share.devices = bit(2);
    rig.start(job);
    rig.wait<RunExited>(rig.batch(1));
    EXPECT_EQ(rig.lines("out"), (std::vector<std::string>{"No such device or address",
                                                          "Operation not permitted", "0 2"}))
        << rig.text("out");
    if (GetParam() != DeviceBackend::v1) return;
    const std::string list =
        rig.text(find_cgroup_mounts().v1.at("devices") + "/" + rig.options.cgroup_prefix +
                 "/slurm/uid_65534/job_1/"
                 "devices.list");
    EXPECT_NE(list.find("c 195:2 rw"), std::string::npos) << list;
    EXPECT_EQ(list.find("c 195:3 "), std::string::npos) << list;
}

TEST_P(GpuIsolation, GivesEachStepItsShareOfTheJobs) {
    make_gpus();
    if (const std::string why = missing_here(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    rig.open();
    LaunchAttempt job = rig.job(1, "sleep 100");
    job.share.devices = bit(1) | bit(2) | bit(5);
    rig.start(job);
    rig.wait<RunStarted>(rig.batch(1));
    LaunchStep step = rig.step(
        job, 0, 1,
        probe(1) + "; " + probe(5) + "; echo ${CUDA_VISIBLE_DEVICES-none} $SLURM_STEP_GPUS");
    step.share.devices = step.share.tasks[0].devices = bit(5);
    step.std_out = "one";
    rig.node->act(StartStep{step, job});
    rig.wait<RunEmpty>(rig.step_key(1, 0));
    EXPECT_EQ(rig.lines("one"), (std::vector<std::string>{"Operation not permitted",
                                                          "No such device or address", "0 5"}));
    step.step = StepId{1};
    step.share.devices = step.share.tasks[0].devices = 0;
    step.std_out = "none-of-them";
    rig.node->act(StartStep{step, job});
    rig.wait<RunEmpty>(rig.step_key(1, 1));
    EXPECT_EQ(
        rig.lines("none-of-them"),
        (std::vector<std::string>{"Operation not permitted", "Operation not permitted", "none"}));
}

TEST_P(GpuIsolation, RefusesToStartWhereAGrantedGpuIsMissing) {
    make_gpus();
    if (const std::string why = missing_here(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why;
    rig.options.node.devices[2].file = rig.folder + "/nowhere";
    rig.open();
    LaunchAttempt job = rig.job(1, "true");
    job.share.devices = bit(2);
    rig.start(job);
    EXPECT_EQ(rig.wait<RunFailedToStart>(rig.batch(1)).why,
              "no device file " + rig.folder + "/nowhere on this node: No such file or directory");
}

INSTANTIATE_TEST_SUITE_P(LinuxNode, GpuIsolation,
                         ::testing::Values(DeviceBackend::v1, DeviceBackend::bpf),
                         [](const auto& which) {
                             return which.param == DeviceBackend::v1 ? "V1RulesOnly"
                                                                     : "BpfProgramOnly";
                         });

TEST_F(Isolation, WithoutCgroupsStillEndsAllThatDescendsFromAJob) {
    rig.options.use_cgroups = false;
    rig.open();
    EXPECT_FALSE(rig.node->not_isolated().empty());
    rig.start(rig.job(1,
                      "setsid sh -c '(setsid sleep 1000 & echo $! > pid) & ' & "
                      "while [ ! -s pid ]; do sleep 0.01; done; exit 4"));
    EXPECT_EQ(rig.wait<RunExited>(rig.batch(1)).exit, (ExitStatus{4, 0}));
    rig.pump(100);
    rig.pump(100);
    EXPECT_FALSE(rig.saw<RunEmpty>(rig.batch(1)));  // The daemon is noticed.
    rig.signal(rig.whole(1), SIGTERM);
    rig.wait<RunEmpty>(rig.whole(1));
    EXPECT_NE(kill(std::stoi(rig.text("pid")), 0), 0);
}

}  // namespace
}  // namespace berth
