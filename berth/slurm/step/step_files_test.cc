#include "berth/slurm/step/step_files.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace berth::slurm {
namespace {

namespace fs = std::filesystem;

TEST(StepFiles, OneFileForAllTasksIsSruns) {
    for (const char* pattern :
         {"out", "%j.out", "/x/%J-%s", "12a", "a%%t", "x\\%t", "4", "2026", "-1"})
        EXPECT_TRUE(is_one_file(pattern, 4)) << pattern;
    for (const char* pattern : {"", "none", "all", "/dev/null", "3", "%t", "o.%3t", "%n", "%N.log"})
        EXPECT_FALSE(is_one_file(pattern, 4)) << pattern;
}

TEST(StepFiles, InputIsSrunsForAllTasksOrForOne) {
    for (const char* pattern : {"", "all", "0", "3"})
        EXPECT_TRUE(is_from_srun(pattern, 4)) << pattern;
    for (const char* pattern : {"none", "in", "4", "in.%t", "/dev/null"})
        EXPECT_FALSE(is_from_srun(pattern, 4)) << pattern;
}

// Files whose names need nothing of the job: no controller is asked.
class OwnFiles : public ::testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/berth-files.XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        folder = name;
        fill();
    }
    void TearDown() override { fs::remove_all(folder); }
    void fill() const {
        for (const char* name : {"out", "err"}) std::ofstream(path(name)) << "old\n";
    }
    std::string path(const std::string& name) const { return folder + "/" + name; }
    std::string text(const std::string& name) const {
        std::ifstream file(path(name));
        return {std::istreambuf_iterator<char>(file), {}};
    }
    // "out,err" as a step writes them, with what srun itself would have printed behind.
    std::string written(api::StepCall& call, bool append) {
        fill();
        StepFiles files("12");
        const Status prepared = files.prepare(call, look);
        EXPECT_TRUE(prepared.ok());
        EXPECT_EQ(text("out"), "old\n") << "truncated before there is a step";
        const Status begun = files.begin({.append_output = append});
        EXPECT_TRUE(begun.ok());
        std::ostringstream out, err;
        files.out(out) << "o" << std::flush;
        files.err(err) << "e" << std::flush;
        EXPECT_EQ(files.failure(), "");
        return out.str() + "," + err.str();
    }

    std::string folder;
    const Invocation call_{.name = "srun", .arguments = {}, .environment = {}};
    JobLook look{call_};
};

TEST_F(OwnFiles, ErrorsGoIntoTheOutputsFileUnlessTheyHaveOne) {
    api::StepCall call{.std_out = path("out")};
    EXPECT_EQ(written(call, false), ",");
    EXPECT_EQ(text("out"), "oe");
    EXPECT_EQ(call.std_out, "all");
    EXPECT_EQ(call.std_err, "");
    EXPECT_TRUE(call.errors_with_output);
}

TEST_F(OwnFiles, EachStreamMayHaveAFileOfItsOwn) {
    api::StepCall both{.std_out = path("out"), .std_err = path("err")};
    EXPECT_EQ(written(both, true), ",");
    EXPECT_EQ(text("out"), "old\no");
    EXPECT_EQ(text("err"), "old\ne");
    EXPECT_FALSE(both.errors_with_output);
    EXPECT_EQ(both.std_err, "all");
    api::StepCall errors{.std_err = path("err")};
    EXPECT_EQ(written(errors, true), "o,");
    api::StepCall by_task{.std_out = "o.%t", .std_err = path("err")};
    EXPECT_EQ(written(by_task, true), "o,");
    EXPECT_EQ(by_task.std_out, "o.%t");
    EXPECT_EQ(by_task.std_err, "all");
}

TEST_F(OwnFiles, TwoPartsOfOneSrunTruncateAFileOnce) {
    std::ofstream(path("shared")) << "old\n";
    const auto write = [&](const char* line) {
        StepFiles files("12");
        api::StepCall call{.std_out = path("shared")};
        if (!files.prepare(call, look).ok() || !files.begin({}).ok()) return 1;
        files.out(std::cout) << line << std::flush;
        return 0;
    };
    share_truncations();
    for (const char* line : {"first\n", "second\n"}) {  // A process each, as srun has them.
        const pid_t part = ::fork();
        if (part == 0) ::_exit(write(line));
        int status = -1;
        ASSERT_EQ(::waitpid(part, &status, 0), part);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(text("shared"), "first\nsecond\n");
}

TEST_F(OwnFiles, WhatCannotBeOpenedOrWrittenIsSaid) {
    StepFiles files("12");
    api::StepCall call{.std_out = path("nosuch/out")};
    const Status prepared = files.prepare(call, look);
    ASSERT_FALSE(prepared.ok());
    EXPECT_EQ(prepared.error().message,
              "Could not open stdout file " + path("nosuch/out") + ": No such file or directory");
    api::StepCall full{.std_out = "/dev/full"};
    StepFiles other("12");
    ASSERT_TRUE(other.prepare(full, look).ok());
    ASSERT_TRUE(other.begin({}).ok());
    other.out(std::cout) << "lost" << std::flush;
    EXPECT_EQ(other.failure(), "cannot write all output to /dev/full");
}

}  // namespace
}  // namespace berth::slurm
