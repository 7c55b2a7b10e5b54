// How CPUs are set and put back, with files in place of the kernel's.
#include "berth/host/shepherd/cpu_speeds.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace berth {
namespace {

namespace fs = std::filesystem;

class CpuSpeedsTest : public ::testing::Test {
protected:
    CpuSpeedsTest() {
        char name[] = "/tmp/berth-cpufreq.XXXXXX";
        root = mkdtemp(name);
        for (int cpu = 0; cpu < 2; ++cpu) {
            fs::create_directories(file(cpu, ""));
            put(cpu, "scaling_available_governors", "ondemand performance userspace");
            put(cpu, "scaling_available_frequencies", "2400000 2000000 1600000 1200000");
            put(cpu, "scaling_governor", "ondemand");
            put(cpu, "scaling_min_freq", "1200000");
            put(cpu, "scaling_max_freq", "2400000");
            put(cpu, "scaling_setspeed", "<unsupported>");
        }
    }
    ~CpuSpeedsTest() override { fs::remove_all(root); }

    std::string file(int cpu, const std::string& name) const {
        return root + "/cpu" + std::to_string(cpu) + "/cpufreq/" + name;
    }
    void put(int cpu, const std::string& name, const std::string& text) const {
        std::ofstream(file(cpu, name)) << text << '\n';
    }
    // "ondemand 1200000-2400000"
    std::string state(int cpu) const {
        const auto first_line = [&](const std::string& name) {
            std::ifstream in(file(cpu, name));
            std::string line;
            std::getline(in, line);
            return line;
        };
        return first_line("scaling_governor") + " " + first_line("scaling_min_freq") + "-" +
               first_line("scaling_max_freq");
    }
    std::string with(const char* asked) const {
        CpuSpeeds speeds(root);
        speeds.set({1}, *parse_cpu_frequency(asked));
        return state(1);
    }

    const std::string before = "ondemand 1200000-2400000";
    std::string root;
};

TEST_F(CpuSpeedsTest, AreAsAskedAndThenAsBefore) {
    EXPECT_EQ(with("performance"), "performance 1200000-2400000");
    EXPECT_EQ(state(1), before);
    EXPECT_EQ(with("low-medium"), "ondemand 1200000-1600000");
    EXPECT_EQ(state(1), before);
    EXPECT_EQ(with("highm1-high:performance"), "performance 2000000-2400000");
    EXPECT_EQ(with("high"), "userspace 2400000-2400000");
    EXPECT_EQ(with("1700000"), "userspace 2000000-2000000") << "the next one up";
    EXPECT_EQ(with("1-9:userspace"), "userspace 1200000-1200000");
    EXPECT_EQ(state(0), before);
    EXPECT_EQ(state(1), before);
}

TEST_F(CpuSpeedsTest, LeaveACpuToTheStepThatCameFirst) {
    CpuSpeeds first(root), second(root);
    first.set({0}, *parse_cpu_frequency("performance"));
    second.set({0, 1}, *parse_cpu_frequency("low-low"));
    EXPECT_EQ(state(0), "performance 1200000-2400000");
    EXPECT_EQ(state(1), "ondemand 1200000-1200000");
    first.restore();
    second.restore();
    EXPECT_EQ(state(0), before);
    EXPECT_EQ(state(1), before);
}

TEST_F(CpuSpeedsTest, StayAsTheyAreWhereNothingCanSetThem) {
    CpuSpeeds speeds(root);
    speeds.set({7}, *parse_cpu_frequency("performance"));
    EXPECT_FALSE(fs::exists(root + "/cpu7"));
    put(0, "scaling_available_governors", "powersave");
    speeds.set({0}, *parse_cpu_frequency("performance"));
    EXPECT_EQ(state(0), before);
}

TEST_F(CpuSpeedsTest, AreBetweenTwoWhereTheDriverListsNone) {
    fs::remove(file(1, "scaling_available_frequencies"));
    put(1, "scaling_available_governors", "performance powersave");
    put(1, "cpuinfo_min_freq", "800000");
    put(1, "cpuinfo_max_freq", "3800000");
    EXPECT_EQ(with("medium"), "ondemand 2300000-2300000");
    EXPECT_EQ(with("1700000"), "ondemand 1700000-1700000");
}

}  // namespace
}  // namespace berth
