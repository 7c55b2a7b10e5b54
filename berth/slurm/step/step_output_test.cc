#include "berth/slurm/step/step_output.h"

#include <gtest/gtest.h>

#include <sstream>
#include <streambuf>
#include <vector>

namespace berth::slurm {
namespace {

TEST(StepOutput, LabelsWholeLinesAndSaysHowTasksFailed) {
    std::ostringstream out, err;
    StepOutput output({.label = true, .tasks = 12}, out, err);
    output.write({StepFrameKind::standard_out, 3, "hel"});
    output.write({StepFrameKind::standard_out, 11, "x\n"});
    output.write({StepFrameKind::standard_out, 3, "lo\nrest"});
    output.flush();
    EXPECT_EQ(out.str(), "11: x\n 3: hello\n 3: rest\n");
    for (std::uint32_t task = 0; task < 3; ++task) output.task_ended(task, {.code = 3});
    output.task_ended(3, {.code = 0, .signal = 9});
    std::ostringstream said;
    output.print_failures({"n1", "n1", "n1", "n2"}, said);
    EXPECT_EQ(err.str(), "");
    EXPECT_EQ(
        said.str(),
        "srun: error: n1: tasks 0-2: Exited with exit code 3\nsrun: error: n2: task 3: Killed\n");
    EXPECT_EQ(output.exit_code(), 137);
}

// Keeps each write apart, as an unbuffered stream does.
class WritesApart : public std::streambuf {
public:
    std::vector<std::string> writes;

protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override {
        writes.emplace_back(text, static_cast<std::size_t>(size));
        return size;
    }
    int_type overflow(int_type letter) override {
        writes.emplace_back(1, traits_type::to_char_type(letter));
        return letter;
    }
};

TEST(StepOutput, WritesALabelWithItsLine) {
    WritesApart apart;
    std::ostream err(&apart);
    std::ostringstream out;
    StepOutput output({.label = true, .tasks = 12}, out, err);
    output.write({StepFrameKind::standard_error, 3, "one\ntwo\n"});
    EXPECT_EQ(apart.writes, (std::vector<std::string>{" 3: one\n", " 3: two\n"}));
}

TEST(StepOutput, KnowsTheWordThatAStepIsEnded) {
    const std::string notice = "slurmstepd: error: *** STEP 5.0 ON n1 CANCELLED AT 2026 ***\n";
    EXPECT_TRUE(is_end_notice({StepFrameKind::standard_error, 0, notice}));
    EXPECT_FALSE(is_end_notice({StepFrameKind::standard_out, 0, notice}));
    EXPECT_FALSE(is_end_notice({StepFrameKind::standard_error, 0, "slurmstepd: error: hello\n"}));
}

TEST(StepOutput, SaysOnceHowATaskFailed) {
    std::ostringstream out, err, said;
    StepOutput output({.tasks = 2}, out, err);
    output.task_ended(0, {.code = 3});
    output.print_failures({"n1", "n1"}, said);
    EXPECT_EQ(said.str(), "srun: error: n1: task 0: Exited with exit code 3\n");
    output.task_ended(1, {.code = 0, .signal = 15});
    output.print_failures({"n1", "n1"}, said);
    EXPECT_EQ(said.str(),
              "srun: error: n1: task 0: Exited with exit code 3\n"
              "srun: error: n1: task 1: Terminated\n");
}

TEST(StepOutput, AddsNothingToWhatATaskWrites) {
    std::ostringstream out, err;
    StepOutput output({.tasks = 1}, out, err);
    const std::string bytes(3 * kStepFrameBytesMax + 1, 'x');  // No line end anywhere.
    for (std::size_t at = 0; at < bytes.size(); at += kStepFrameBytesMax)
        output.write({StepFrameKind::standard_out, 0, bytes.substr(at, kStepFrameBytesMax)});
    output.flush();
    EXPECT_EQ(out.str(), bytes);
}

}  // namespace
}  // namespace berth::slurm
