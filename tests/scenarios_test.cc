// Runs every file of tests/scenarios/. After a wanted change: BERTH_BLESS=1 build/…/scenarios_test,
// then read the diff; commit only what you can explain.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "berth/testing/scenario.h"

namespace berth {
namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class Scenarios : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Scenarios, DecideAsWritten) {
    const std::string expected = read_file(GetParam());
    const std::string actual = testing::run_scenario(expected);
    if (std::getenv("BERTH_BLESS") != nullptr) std::ofstream(GetParam()) << actual;
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(actual.find("WRONG"), std::string::npos);
}

std::vector<std::filesystem::path> scenario_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(BERTH_SCENARIO_DIR)) {
        files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

INSTANTIATE_TEST_SUITE_P(All, Scenarios, ::testing::ValuesIn(scenario_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace berth
