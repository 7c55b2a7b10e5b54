#include "berth/slurm/options/advice.h"

#include <gtest/gtest.h>

#include "berth/slurm/options/job_options.h"

namespace berth::slurm {
namespace {

Invocation asked(const std::string& said) {
    return {.name = "sbatch", .arguments = {}, .environment = {{"BERTH_ADVICE", said}}};
}

TEST(Advice, SaysWhatAnOptionTakes) {
    EXPECT_EQ(advice_on_option(asked("yes"), "mem"),
              "sbatch: --mem takes a size, such as 500M or 4G (a plain number means megabytes)\n");
    EXPECT_EQ(advice_on_option(asked("yes"), "comment"), "");
    EXPECT_EQ(advice_on_option(asked("no"), "mem"), "");
    const option options[] = {{"comment", required_argument, nullptr, 'c'},
                              {"jobs", required_argument, nullptr, 'j'},
                              {nullptr, 0, nullptr, 0}};
    EXPECT_EQ(advice_on_option(asked("yes"), options, 'j'),
              "sbatch: --jobs takes job ids, such as 12, 12_3 (a task of an array) or 12,13\n");
    EXPECT_EQ(advice_on_option(asked("yes"), options, 'c'), "");
    EXPECT_EQ(advice_on_option(asked("yes"), options, 'x'), "");
}

TEST(Advice, SaysWhichNameWasMeantOrWhereToLook) {
    const std::vector<std::string> names = {"Partition", "TimeLimit"};
    EXPECT_EQ(advice_on_name(asked("yes"), "timelimt", names, "see above"),
              "sbatch: did you mean TimeLimit?\n");
    EXPECT_EQ(advice_on_name(asked("yes"), "colour", names, "see above"), "sbatch: see above\n");
    EXPECT_EQ(advice_on_name(asked("no"), "timelimt", names, "see above"), "");
    EXPECT_EQ(advice(asked("yes"), "see above"), "sbatch: see above\n");
    EXPECT_EQ(advice(asked("no"), "see above"), "");
    EXPECT_EQ(did_you_mean("srun", "tme", {"time"}, "--"), "srun: did you mean --time?\n");
    EXPECT_EQ(did_you_mean("srun", "nosuch", {"time"}, "--"), "");
}

TEST(Advice, SaysWhatIsRightWhereNoOptionIsWrong) {
    EXPECT_EQ(advice_on_error(asked("yes"), "Unable to open file x.sh"),
              "sbatch: give the path of a script, or a command with --wrap\n");
    EXPECT_EQ(advice_on_error(asked("yes"), "Unspecified error"), "");
    EXPECT_EQ(advice_on_error(asked("no"), "Unable to open file x.sh"), "");
}

TEST(Advice, AddsTheNumbersToARefusalAndDoesNotRepeatSlurmsWords) {
    api::Problem refused;
    refused.slurm = "Requested node configuration is not available";
    refused.detail = refused.slurm + ": 9 GPUs on one node; a node has at most 8";
    EXPECT_EQ(advice_on(asked("yes"), refused),
              "sbatch: 9 GPUs on one node; a node has at most 8\n");
    EXPECT_EQ(advice_on(asked("no"), refused), "");
    refused.detail = refused.slurm;
    EXPECT_EQ(advice_on(asked("yes"), refused), "");
}

}  // namespace
}  // namespace berth::slurm
