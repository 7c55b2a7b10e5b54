#include "berth/host/cgroup/cgroup_tree.h"

#include <sched.h>
#include <sys/mman.h>

#include <cerrno>

#include "berth/host/cgroup/cgroup_rig.h"

namespace berth {
namespace {

TEST(CgroupMounts, AreReadFromAHybridMachine) {
    const CgroupMounts mounts = parse_cgroup_mounts(
        "25 30 0:23 / /sys/fs/cgroup ro,nosuid - tmpfs tmpfs rw,mode=755\n"
        "26 25 0:24 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
        "27 25 0:25 / /sys/fs/cgroup/cpuset rw shared:10 - cgroup cgroup rw,cpuset\n"
        "28 25 0:26 / /mnt/a\\040b rw - cgroup cgroup rw,pids,devices\n"
        "29 25 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
        "31 25 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    EXPECT_EQ(mounts.unified, "/sys/fs/cgroup/unified");
    EXPECT_EQ(mounts.v1, (std::map<std::string, std::string>{
                             {"cpuset", "/sys/fs/cgroup/cpuset"},
                             {"pids", "/mnt/a b"},
                             {"devices", "/mnt/a b"},
                         }));
}

TEST(CgroupMounts, AreNoneInNonsense) {
    for (const char* text : {"", "\n\n", "a - b", "1 2 3 4 5 - cgroup", " - cgroup x memory"}) {
        EXPECT_FALSE(parse_cgroup_mounts(text).any()) << text;
    }
}

TEST(CgroupTree, LaysJobsWhereSlurmsToolsLook) {
    CgroupMounts mounts;
    mounts.v1["devices"] = "/tmp";
    mounts.unified = "/tmp";
    const CgroupTree tree(mounts, "");
    const Cgroup step = CgroupTree::step(tree.job(1000, JobId{12}), StepId{3});
    EXPECT_EQ(step.v1.at("devices"), "/tmp/slurm/uid_1000/job_12/step_3");
    EXPECT_EQ(step.unified, "/tmp/system.slice/slurmstepd.scope/job_12/step_3");
    EXPECT_EQ(CgroupTree::step_name(kBatchStep), "step_batch");
}

std::string name_of_hierarchies(const ::testing::TestParamInfo<Hierarchies>& which) {
    constexpr const char* kNames[] = {"AsMounted", "V1Only", "V2Only"};
    return kNames[static_cast<int>(which.param)];
}

class EachHierarchy : public ::testing::TestWithParam<Hierarchies> {
protected:
    EachHierarchy() : rig(GetParam()) {}
    bool create(const Cgroup& group) {
        const Status made = rig.tree.create(group);
        EXPECT_TRUE(made.ok()) << made.error().message;
        return made.ok();
    }
    CgroupRig rig;
};

TEST_P(EachHierarchy, KnowsWhetherAProcessIsLeftAnywhereBeneath) {
    BERTH_SKIP_UNLESS_USABLE(rig);
    const Cgroup step = CgroupTree::step(rig.job, StepId{0});
    ASSERT_TRUE(create(step));
    EXPECT_FALSE(CgroupTree::populated(rig.job));
    const pid_t pid = CgroupRig::start(step, [] { return pause(); });
    while (!CgroupTree::populated(step)) usleep(1000);
    EXPECT_TRUE(CgroupTree::populated(rig.job));
    EXPECT_EQ(CgroupTree::processes(rig.job), std::vector<int>{pid});
    EXPECT_FALSE(CgroupTree::remove(rig.job).ok());  // Not while a process is in it.
    CgroupTree::kill(rig.job);
    waitpid(pid, nullptr, 0);
    EXPECT_FALSE(CgroupTree::populated(rig.job));
    EXPECT_TRUE(CgroupTree::remove(rig.job).ok());
    EXPECT_TRUE(CgroupTree::remove(rig.job).ok());  // A missing group is no error.
}

TEST_P(EachHierarchy, KillsWhatHasSlippedAway) {
    BERTH_SKIP_UNLESS_USABLE(rig);
    ASSERT_TRUE(create(rig.job));
    CgroupRig::run(rig.job, [] {  // A daemon: forked twice, in its own session.
        if (fork() != 0) return 0;
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (fork() != 0) return 0;
        for (int i = 0; i < 20; ++i) {
            if (fork() == 0) break;
        }
        return pause();
    });
    while (CgroupTree::processes(rig.job).size() < 21) usleep(1000);
    CgroupTree::signal(rig.job, SIGTERM);
    usleep(20'000);
    EXPECT_TRUE(CgroupTree::populated(rig.job));
    for (int i = 0; i < 200 && CgroupTree::populated(rig.job); ++i) {
        CgroupTree::kill(rig.job);
        usleep(10'000);
    }
    EXPECT_FALSE(CgroupTree::populated(rig.job));
}

INSTANTIATE_TEST_SUITE_P(CgroupTree, EachHierarchy,
                         ::testing::Values(Hierarchies::all, Hierarchies::v1_only,
                                           Hierarchies::v2_only),
                         name_of_hierarchies);

TEST(CgroupTree, KillsWhatIsFrozenUnderV1) {
    CgroupRig rig;
    BERTH_SKIP_UNLESS_USABLE(rig);
    if (!rig.job.v1.contains("freezer")) GTEST_SKIP() << "SKIPPED: no v1 freezer";
    ASSERT_TRUE(rig.tree.create(rig.job).ok());
    const pid_t pid = CgroupRig::start(rig.job, [] { return pause(); });
    while (!CgroupTree::populated(rig.job)) usleep(1000);
    ASSERT_TRUE(write_kernel_file(rig.job.v1.at("freezer") + "/freezer.state", "FROZEN").ok());
    CgroupTree::kill(rig.job);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(CgroupTree, LimitsHowManyProcessesThereAre) {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "SKIPPED: each process has a thread of the sanitizer's own";
#endif
    CgroupRig rig;
    BERTH_SKIP_UNLESS_USABLE(rig);
    if (!rig.tree.has("pids")) GTEST_SKIP() << "SKIPPED: no pids controller";
    ASSERT_TRUE(rig.tree.create(rig.job).ok());
    ASSERT_TRUE(rig.tree.limit(rig.job, {.pids = 20}).ok());
    EXPECT_EQ(CgroupRig::run(rig.job,
                             [] {
                                 for (int i = 1;; ++i) {
                                     const pid_t pid = fork();
                                     if (pid == 0) pause();
                                     if (pid < 0) return errno == EAGAIN ? i : 99;
                                 }
                             }),
              20);
}

TEST(CgroupTree, LimitsMemoryAndCountsWhoDied) {
    CgroupRig rig;
    BERTH_SKIP_UNLESS_USABLE(rig);
    if (!rig.tree.has("memory")) GTEST_SKIP() << "SKIPPED: no memory controller";
    const Cgroup step = CgroupTree::step(rig.job, kBatchStep);
    ASSERT_TRUE(rig.tree.create(step).ok());
    constexpr std::int64_t kLimit = 32 << 20;
    const Status limited = rig.tree.limit(rig.job, {.memory = kLimit, .memory_and_swap = kLimit});
    ASSERT_TRUE(limited.ok()) << limited.error().message;
    EXPECT_EQ(CgroupTree::oom_kills(step), 0);
    const auto eat = [](std::size_t bytes) {
        return [bytes] {
            void* const all = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
            return all == MAP_FAILED ? 1 : 0;
        };
    };
    EXPECT_EQ(CgroupRig::run(step, eat(8 << 20)), 0);
    EXPECT_EQ(CgroupRig::run(step, eat(64 << 20)), 1000 + SIGKILL);
    EXPECT_EQ(CgroupTree::oom_kills(step), 1);
}

TEST(CgroupTree, LimitsCoresForAJobAndItsSteps) {
    CgroupRig rig;
    BERTH_SKIP_UNLESS_USABLE(rig);
    if (!rig.tree.has("cpuset") || sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        GTEST_SKIP() << "SKIPPED: no cpuset controller, or one CPU";
    }
    const Cgroup step = CgroupTree::step(rig.job, StepId{0});
    ASSERT_TRUE(rig.tree.create(rig.job).ok());
    ASSERT_TRUE(rig.tree.limit(rig.job, {.cpus = "1"}).ok());
    ASSERT_TRUE(rig.tree.create(step).ok());
    EXPECT_EQ(CgroupRig::run(step,
                             [] {
                                 cpu_set_t set;
                                 sched_getaffinity(0, sizeof set, &set);
                                 return CPU_COUNT(&set) * 10 + (CPU_ISSET(1, &set) ? 1 : 0);
                             }),
              11);
}

}  // namespace
}  // namespace berth
