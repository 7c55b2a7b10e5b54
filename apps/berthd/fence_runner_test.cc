#include "apps/berthd/fence_runner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>

namespace berth {
namespace {

class FenceTest : public ::testing::Test {
protected:
    FenceTest() {
        std::string name = "/tmp/berth-fence-XXXXXX";
        folder_ = ::mkdtemp(name.data());
    }
    ~FenceTest() override { std::filesystem::remove_all(folder_); }

    FenceCall call(const std::string& script, Duration timeout = std::chrono::seconds(20)) {
        const std::string program = folder_ + "/fence.sh";
        std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
        ::chmod(program.c_str(), 0700);
        return {.node = "n1",
                .hostname = "host1",
                .address = "10.0.0.1",
                .boot_id = "boot-7",
                .program = program,
                .timeout = timeout};
    }
    std::string run(const FenceCall& one) {
        std::promise<FenceAnswered> answer;
        FenceRunner runner([&](FenceAnswered said) { answer.set_value(std::move(said)); });
        runner.call(one);
        return answer.get_future().get().failure;
    }
    std::string text(const std::string& file) const {
        std::ifstream in(folder_ + "/" + file);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    std::string folder_;
};

TEST_F(FenceTest, ProvesByEndingWell) { EXPECT_EQ(run(call("exit 0")), ""); }

TEST_F(FenceTest, SaysHowItFailed) {
    EXPECT_EQ(run(call("echo trying; echo no answer >&2; exit 3")),
              "ended with exit code 3: no answer");
    EXPECT_EQ(run(call("kill -9 $$")), "was ended by signal 9");
    EXPECT_EQ(run(call("sleep 60", std::chrono::milliseconds(1500))),
              "took longer than 1 seconds and was killed");
}

TEST_F(FenceTest, IsToldTheNodeAndNothingOfOurs) {
    ::setenv("SECRET", "hidden", 1);
    EXPECT_EQ(run(call("echo \"$1 $2\" > " + folder_ + "/args; env | sort > " + folder_ + "/env")),
              "");
    EXPECT_EQ(text("args"), "n1 boot-7\n");
    const std::string environment = text("env");
    EXPECT_NE(environment.find("BERTH_NODE_ADDRESS=10.0.0.1\n"), std::string::npos);
    EXPECT_NE(environment.find("BERTH_NODE_HOSTNAME=host1\n"), std::string::npos);
    EXPECT_EQ(environment.find("SECRET"), std::string::npos);
}

TEST_F(FenceTest, IsNotRunWhereOthersCanChangeIt) {
    const FenceCall one = call("exit 0");
    ::chmod(one.program.c_str(), 0722);
    EXPECT_EQ(run(one), "is not run: others can write to it (chmod go-w)");
    FenceCall missing = one;
    missing.program += ".not";
    EXPECT_EQ(run(missing), "cannot be run: No such file or directory");
}

TEST_F(FenceTest, AnswersEachCallAndKillsTheRestAtItsEnd) {
    std::promise<FenceAnswered> first;
    const auto begun = std::chrono::steady_clock::now();
    {
        FenceRunner runner([&](FenceAnswered answer) { first.set_value(std::move(answer)); });
        runner.call(call("exit 4"));
        const FenceAnswered answer = first.get_future().get();
        EXPECT_EQ(answer.node, "n1");
        EXPECT_EQ(answer.boot_id, "boot-7");
        EXPECT_EQ(answer.failure, "ended with exit code 4");
        const FenceCall slow = call("sleep 100", std::chrono::hours(1));
        for (int i = 0; i < 40; ++i) runner.call(slow);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

}  // namespace
}  // namespace berth
