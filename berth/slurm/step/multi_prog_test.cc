// srun --multi-prog: what each rank runs, as a shell makes it of the command, and what is refused.
#include "berth/slurm/step/multi_prog.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace berth::slurm {
namespace {

std::vector<std::string> command_of(std::string_view text, std::uint32_t tasks,
                                    const std::vector<std::string>& more = {}) {
    const auto command = multi_prog_command(text, tasks, "programs", more);
    EXPECT_TRUE(command.ok()) << (command.ok() ? "" : command.error().message);
    return command.ok() ? *command : std::vector<std::string>{"/bin/false"};
}

// What the task of this rank prints.
std::string output_of(std::vector<std::string> command, std::size_t rank) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::setenv("SLURM_PROCID", std::to_string(rank).c_str(), 1);
        ::setenv("berth_place", "the user's", 1);
        std::vector<char*> words;
        words.reserve(command.size() + 1);
        for (std::string& word : command) words.push_back(word.data());
        words.push_back(nullptr);
        ::execv(words.front(), words.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return text;
}

std::string error_of(std::string_view text, std::uint32_t tasks) {
    const auto command = multi_prog_command(text, tasks, "programs", {});
    return command.ok() ? "" : command.error().message;
}

// The example of srun's manual page.
TEST(MultiProg, RunsTheProgramOfEachRank) {
    const auto command = command_of(
        "# srun multiple program configuration file\n"
        "4-6       echo a host\n"
        "1,7       echo  task:%t\n"
        "0,2-3     echo  offset:%o\n",
        8);
    const std::array<const char*, 8> wanted = {"offset:0\n", "task:1\n", "offset:1\n", "offset:2\n",
                                               "a host\n",   "a host\n", "a host\n",   "task:7\n"};
    for (std::size_t rank = 0; rank < wanted.size(); ++rank)
        EXPECT_EQ(output_of(command, rank), wanted[rank]) << rank;
}

TEST(MultiProg, KeepsWordsAsTheyAre) {
    const auto command = command_of(
        "0 printf %s, \"two words\" 'its %t' alone $HOME `id` ; \\\\\n"
        "  more\n"
        "* sh -c 'echo $0 $1' rank%t-%o\n",
        3, {"it's more"});
    EXPECT_EQ(output_of(command, 0), "two words,its %t,alone,$HOME,`id`,;,\\,more,it's more,");
    EXPECT_EQ(output_of(command, 2), "rank2-2 it's more\n");
}

TEST(MultiProg, LeavesNoVariablesBehind) {
    EXPECT_EQ(output_of(command_of("0 sh -c 'echo $berth_place'", 1), 0), "\n");
}

TEST(MultiProg, NamesWhatIsWrong) {
    EXPECT_EQ(error_of("0 a\n", 2), "Configuration file programs invalid, no record for task id 1");
    EXPECT_EQ(error_of("", 1), "Configuration file programs invalid, no record for task id 0");
    EXPECT_EQ(error_of("1-2 a\n0 b\n", 3), "");
    EXPECT_EQ(error_of("0 a\n\n1-x b\n", 2), "programs:3: \"1-x\" is no list of tasks");
    EXPECT_EQ(error_of("4-0 a\n", 1), "programs:1: \"4-0\" is no list of tasks");
    EXPECT_EQ(error_of("0\n", 1), "programs:1: it names no program");
    EXPECT_EQ(error_of("0 a 'b\n", 1), "programs:1: a ' has no end");
    EXPECT_EQ(multi_prog_command_of("/nosuch/file", 1, {}).error().message,
              "Unable to open configuration file /nosuch/file: No such file or directory");
    EXPECT_FALSE(multi_prog_command_of("/tmp", 1, {}).ok());
}

}  // namespace
}  // namespace berth::slurm
