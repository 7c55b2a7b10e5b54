#include "berth/host/cgroup/run_meter.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <vector>

namespace berth {
namespace {

namespace fs = std::filesystem;

TEST(RunMeter, ReadsCgroupsOfBothKinds) {
    const fs::path root = fs::temp_directory_path() / ("meter-" + std::to_string(getpid()));
    fs::create_directories(root / "v1");
    fs::create_directories(root / "v2");
    std::ofstream(root / "v2/cpu.stat") << "usage_usec 3500000\nuser_usec 2500000\n"
                                           "system_usec 1000000\n";
    std::ofstream(root / "v1/memory.stat") << "cache 1\nrss 4096\ntotal_rss 8192\n";
    Cgroup group{.v1 = {{"memory", (root / "v1").string()}}, .unified = (root / "v2").string()};
    const RunUsage hybrid = measure(group, {});
    EXPECT_EQ(hybrid.user, Duration(2500));
    EXPECT_EQ(hybrid.system, Duration(1000));
    EXPECT_EQ(hybrid.rss, Bytes(8192));
    std::ofstream(root / "v2/memory.stat") << "anon 12288\nfile 9\n";
    group.v1.clear();
    EXPECT_EQ(measure(group, {}).rss_max, Bytes(12288));
    fs::remove_all(root);
}

TEST(RunMeter, AsksTheProcessesWhereThereIsNoCgroup) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::vector<char> some(32 << 20, 1);
        volatile char* const bytes = some.data();  // So that they are really written.
        for (std::size_t i = 0;; ++i) bytes[i % some.size()] = static_cast<char>(i);
    }
    RunUsage usage;
    for (int i = 0; i < 500 && usage.user < Duration(200); ++i) {
        ::usleep(20'000);
        usage = measure({}, {child});
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_GE(usage.user, Duration(200));
    EXPECT_GE(usage.rss, mib(30));
    EXPECT_EQ(measure({}, {child}), RunUsage{});  // It is gone.
}

TEST(RunMeter, TakesTheHighestOfTwo) {
    const RunUsage a{.user = Duration(5), .system = Duration(1), .rss_max = mib(1), .tasks = 2};
    const RunUsage b{.user = Duration(4), .system = Duration(2), .rss_max = mib(3)};
    const RunUsage both{.user = Duration(5), .system = Duration(2), .rss_max = mib(3), .tasks = 2};
    EXPECT_EQ(highest(a, b), both);
}

}  // namespace
}  // namespace berth
