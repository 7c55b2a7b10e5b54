#include "berth/model/file_pattern.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

FilePatternValues task_three_of_array_12() {
    FilePatternValues values;
    values.job = JobId{15};
    values.array_job = JobId{12};
    values.array_task = 23;
    values.step = StepId{2};
    values.job_name = "train";
    values.user = "ada";
    values.node = "gpu1.example.org";
    values.node_index = 1;
    values.task = 3;
    values.restarts = 4;
    return values;
}

TEST(FilePattern, StandsForTheName) {
    const std::pair<const char*, const char*> cases[] = {
        {"plain.txt", "plain.txt"},
        {"slurm-%j.out", "slurm-15.out"},
        {"slurm-%A_%a.out", "slurm-12_23.out"},
        {"%b", "3"},
        {"%J", "15.2"},
        {"%N-%n", "gpu1-1"},
        {"%s.%t", "2.3"},
        {"%u/%x", "ada/train"},
        {"%r", "4"},
        {"%%j", "%j"},
        {"100%%", "100%"},
        {"%4j", "0015"},
        {"%03t%5a", "00300023"},
        {"%99j", "0000000015"},
        {"%5x", "train"},
        {"%", "%"},
        {"%4", "%4"},
        {"%q", "%q"},
        {"%4%", "%4%"},
        {"\\%j", "%j"},
        {"job%j\\\\", "job%j"},
        {"", ""},
    };
    for (const auto& [pattern, name] : cases) {
        EXPECT_EQ(expand_file_pattern(pattern, task_three_of_array_12()), name) << pattern;
    }
}

TEST(FilePattern, OfABatchScriptHasNoStepAndNoArray) {
    FilePatternValues values;
    values.job = JobId{7};
    EXPECT_EQ(expand_file_pattern("%J %s %A %a %t", values), "7 batch 7 4294967294 0");
}

TEST(FilePattern, ValueStaysWithinItsFolder) {
    FilePatternValues values;
    values.job_name = "../../etc/passwd";
    EXPECT_EQ(expand_file_pattern("out/%x", values), "out/.._.._etc_passwd");
}

TEST(FilePattern, KnowsByWhichLettersItDiffers) {
    EXPECT_TRUE(file_pattern_has("out.%t", 't'));
    EXPECT_TRUE(file_pattern_has("%j-%03t", 't'));
    for (const char* pattern : {"", "t", "%%t", "%", "%3", "%T", "\\%t"}) {
        EXPECT_FALSE(file_pattern_has(pattern, 't')) << pattern;
    }
}

TEST(FilePattern, ANumberIsATaskOnlyIfTheStepHasIt) {
    EXPECT_EQ(task_of_pattern("0", 2), 0u);
    EXPECT_EQ(task_of_pattern("1", 2), 1u);
    for (const char* pattern : {"", "2", "2026", "99999999999999999999", "-1", "1a", "1 ", "%t"})
        EXPECT_EQ(task_of_pattern(pattern, 2), std::nullopt) << pattern;
}

TEST(FilePattern, PathsAreBelowTheWorkingFolder) {
    FilePatternValues values;
    values.job = JobId{7};
    EXPECT_EQ(expand_output_path("a%j", "/home/ada", values), "/home/ada/a7");
    EXPECT_EQ(expand_output_path("a%j", "/", values), "/a7");
    EXPECT_EQ(expand_output_path("/x/a%j", "/home/ada", values), "/x/a7");
    EXPECT_EQ(expand_output_path("", "/home/ada", values), "");
    EXPECT_EQ(default_output_pattern(true), "slurm-%A_%a.out");
}

}  // namespace
}  // namespace berth
