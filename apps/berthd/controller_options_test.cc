#include "apps/berthd/controller_options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace berth {
namespace {

using namespace std::chrono_literals;

std::optional<ControllerOptions> parse(std::vector<std::string> words, int& exit_code) {
    words.insert(words.begin(), {"berthd", "--state", "/s", "--config", "/c"});
    std::vector<char*> all;
    all.reserve(words.size());
    for (std::string& word : words) all.push_back(word.data());
    return parse_controller_options(static_cast<int>(all.size()), all.data(), exit_code);
}

TEST(ControllerOptions, AccountingIsKeptForEverUnlessALengthIsGiven) {
    int exit_code = 0;
    const auto without = parse({}, exit_code);
    ASSERT_TRUE(without);
    EXPECT_FALSE(without->keep_jobs || without->keep_steps || !without->archive.empty());
    const auto with = parse(
        {"--purge-job-after", "12months", "--purge-step-after=36hours", "--archive-dir", "/tmp"},
        exit_code);
    ASSERT_TRUE(with);
    EXPECT_EQ(with->keep_jobs, 24h * 360);
    EXPECT_EQ(with->keep_steps, 36h);
    EXPECT_EQ(with->archive, "/tmp");
}

TEST(ControllerOptions, WhatIsNoLengthIsRefused) {
    for (const char* const wrong : {"", "soon", "12 weeks", "-3"}) {
        int exit_code = 0;
        EXPECT_FALSE(parse({std::string("--purge-job-after=") + wrong}, exit_code)) << wrong;
        EXPECT_NE(exit_code, 0) << wrong;
    }
    int exit_code = 0;
    EXPECT_FALSE(parse({"--archive-dir", "/no/such"}, exit_code));
}

}  // namespace
}  // namespace berth
