#include "berth/cli/suggestion.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "berth/base/nearest.h"
#include "berth/cli/program.h"

namespace berth::cli {
namespace {

TEST(Suggestion, IsWhatIsNearest) {
    const std::vector<std::string> names = {"submit", "status", "cancel", "queue", "up"};
    EXPECT_EQ(nearest("submt", names), "submit");
    EXPECT_EQ(nearest("sumbit", names), "submit");
    EXPECT_EQ(nearest("stauts", names), "status");
    EXPECT_EQ(nearest("squeue", names), "queue");
    EXPECT_EQ(nearest("canc", names), "cancel");
    EXPECT_EQ(nearest("upp", names), "up");
    EXPECT_EQ(nearest("frobnicate", names), std::nullopt);
    EXPECT_EQ(nearest("", names), std::nullopt);
    EXPECT_EQ(nearest("SUBMT", names), "submit");
    EXPECT_EQ(nearest("Formt", {"format", "Format"}), "Format");
    EXPECT_EQ(nearest("formt", {"Format", "format"}), "format");
    EXPECT_EQ(nearest("TIMELIMT", {"TimeMin", "TimeLimit"}), "TimeLimit");
}

// What `berth` says, and its exit code, for a command line that has a mistake.
std::string said(std::vector<std::string> words) {
    words.insert(words.begin(), "berth");
    std::vector<char*> arguments;
    arguments.reserve(words.size());
    for (std::string& word : words) arguments.push_back(word.data());
    std::ostringstream text;
    std::streambuf* const before = std::cerr.rdbuf(text.rdbuf());
    const int code = run_program(static_cast<int>(arguments.size()), arguments.data());
    std::cerr.rdbuf(before);
    return text.str() + "[exit " + std::to_string(code) + "]";
}

TEST(Suggestion, SaysWhatValueAnOptionNeeds) {
    EXPECT_EQ(said({"submit", "--gpus"}),
              "berth: submit --gpus needs a value: GPUs in all [COUNT or TYPE:COUNT, like "
              "a100:2]\nberth: `berth submit --help` lists the options\n[exit 106]");
    EXPECT_EQ(said({"submit", "-G"}), said({"submit", "--gpus"}));
    EXPECT_EQ(said({"sim", "compare", "--seed"}),
              "berth: sim compare --seed needs a value: Seed of a generated workload (1)\n"
              "berth: `berth sim compare --help` lists the options\n[exit 106]");
}

TEST(Suggestion, IsMadeForCommandsAndOptions) {
    EXPECT_EQ(said({"submt", "x.sh"}),
              "berth: there is no command 'submt'; did you mean 'submit'?\n"
              "berth: `berth --help` lists the commands\n[exit 106]");
    EXPECT_EQ(said({"confg", "check"}).substr(0, 61),
              "berth: there is no command 'confg'; did you mean 'config'?\nbe");
    EXPECT_EQ(said({"config", "chek"}),
              "berth: there is no command 'config chek'; did you mean 'check'?\n"
              "berth: `berth config --help` lists the commands\n[exit 106]");
    EXPECT_EQ(said({"frobnicate"}),
              "berth: there is no command 'frobnicate'\nberth: `berth --help` lists the commands\n"
              "[exit 106]");
    EXPECT_EQ(said({"queue", "--jsn"}),
              "berth: queue has no option --jsn; did you mean '--json'?\n"
              "berth: `berth queue --help` lists the options\n[exit 109]");
    EXPECT_EQ(said({"sim", "run", "--trase", "x", "--trace", "philly", "--cluster", "y"}),
              "berth: sim run has no option --trase; did you mean '--trace'?\n"
              "berth: `berth sim run --help` lists the options\n[exit 109]");
}

}  // namespace
}  // namespace berth::cli
