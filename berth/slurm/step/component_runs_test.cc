// Tests of component_runs.h: which components, and what each is told.
#include "berth/slurm/step/component_runs.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace berth::slurm {
namespace {

TEST(Groups, AreListsAndRanges) {
    const std::map<std::string, std::vector<std::uint32_t>> good = {
        {"0", {0}}, {"2,0", {0, 2}}, {"0-2", {0, 1, 2}}, {"1-2,2-3,1", {1, 2, 3}}, {"127", {127}}};
    for (const auto& [text, groups] : good) {
        const auto read = parse_groups(text);
        ASSERT_TRUE(read.ok()) << text;
        EXPECT_EQ(*read, groups) << text;
    }
    for (const char* text : {"", "a", "-1", "1-", "2-1", "0,,1", "128", "0-128", "1:2"}) {
        EXPECT_FALSE(parse_groups(text).ok()) << text;
    }
}

Invocation within() {
    return {.name = "srun",
            .arguments = {},
            .environment = {{"SLURM_HET_SIZE", "2"},
                            {"SLURM_JOB_ID", "12"},
                            {"SLURM_CPUS_PER_TASK", "4"},
                            {"SLURM_SUBMIT_DIR", "/home"},
                            {"SLURM_JOB_ID_HET_GROUP_0", "12"},
                            {"SLURM_CPUS_PER_TASK_HET_GROUP_0", "4"},
                            {"SLURM_JOB_ID_HET_GROUP_1", "13"},
                            {"SLURM_NTASKS_HET_GROUP_1", "2"}}};
}

TEST(CallInGroup, HasWhatIsThatComponentsAndNothingOfTheFirst) {
    const auto call = call_in_group(within(), {.group = 1, .arguments = {"hostname"}});
    ASSERT_TRUE(call.ok());
    EXPECT_EQ(call->arguments, std::vector<std::string>{"hostname"});
    EXPECT_EQ(*call->variable("SLURM_JOB_ID"), "13");
    EXPECT_EQ(*call->variable("SLURM_NTASKS"), "2");
    EXPECT_EQ(call->variable("SLURM_CPUS_PER_TASK"), nullptr);
    EXPECT_EQ(*call->variable("SLURM_SUBMIT_DIR"), "/home");
    EXPECT_EQ(*call->variable("SLURM_JOB_ID_HET_GROUP_0"), "12");
}

TEST(CallInGroup, IsRefusedWhereThereIsNoSuchComponent) {
    const auto beyond = call_in_group(within(), {.group = 2, .arguments = {}});
    ASSERT_FALSE(beyond.ok());
    EXPECT_EQ(beyond.error().message, "there is no component 2: SLURM_HET_SIZE is 2");
    Invocation plain = within();
    plain.environment.erase("SLURM_HET_SIZE");
    EXPECT_FALSE(call_in_group(plain, {.group = 0, .arguments = {}}).ok());
}

TEST(RunComponents, GivesTheHighestExitCodeOfAll) {
    std::istringstream in;
    std::ostringstream out, err;
    Streams streams{in, out, err};
    const auto code_by_job = [](const Invocation& call) {
        return *call.variable("SLURM_JOB_ID") == "13" ? 7 : 3;
    };
    EXPECT_EQ(run_components(within(), {{0, {}}, {1, {}}}, false, streams, code_by_job), 7);
    EXPECT_EQ(run_components(within(), {{0, {}}, {9, {}}}, false, streams, code_by_job), 1);
    EXPECT_NE(err.str().find("there is no component 9"), std::string::npos);
}

}  // namespace
}  // namespace berth::slurm
