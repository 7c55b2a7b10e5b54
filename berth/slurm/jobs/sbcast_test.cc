// What sbcast does on a node, by a real shell.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "berth/slurm/jobs/sbcast_script.h"

namespace berth::slurm {
namespace {

namespace fs = std::filesystem;

class Sbcast : public ::testing::Test {
protected:
    Sbcast() {
        char name[] = "/tmp/berth-sbcast.XXXXXX";
        folder = mkdtemp(name);
        file.destination = folder + "/there";
    }
    ~Sbcast() override { fs::remove_all(folder); }

    // Its exit code, with this on its standard input.
    int send(const std::string& bytes) {
        const std::string source = folder + "/.source";
        std::ofstream(source) << bytes;
        const pid_t pid = fork();
        if (pid == 0) {
            dup2(open(source.c_str(), O_RDONLY), STDIN_FILENO);
            dup2(open((folder + "/.said").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
            setenv("SLURMD_NODENAME", "gpu1", 1);
            std::vector<std::string> words = broadcast_command(file);
            std::vector<char*> arguments;
            arguments.reserve(words.size() + 1);
            for (std::string& word : words) arguments.push_back(word.data());
            arguments.push_back(nullptr);
            execv(arguments[0], arguments.data());
            _exit(127);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        fs::remove(source);
        return WEXITSTATUS(status);
    }
    static std::string text(const std::string& path) {
        std::ifstream in(path);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::string there() const { return text(file.destination); }
    std::string said() const { return text(folder + "/.said"); }
    // Nothing half done is left behind.
    std::size_t files() const {
        fs::remove(folder + "/.said");
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
    }

    std::string folder;
    BroadcastFile file;
};

TEST_F(Sbcast, WritesTheFileWithItsModeAndNoOtherTimeThanNow) {
    file.size = 6;
    file.mode = 0640;
    EXPECT_EQ(send("hello\n"), 0);
    EXPECT_EQ(there(), "hello\n");
    struct stat known{};
    ASSERT_EQ(stat(file.destination.c_str(), &known), 0);
    EXPECT_EQ(known.st_mode & 0777U, 0640U);
    EXPECT_GT(known.st_mtime, 1'700'000'000);
    EXPECT_EQ(files(), 1U);
}

TEST_F(Sbcast, KeepsTheTimesIfAsked) {
    file.preserve = true;
    file.accessed = 1'000'000'000;
    file.modified = 981'173'106;
    EXPECT_EQ(send(""), 0);
    struct stat known{};
    ASSERT_EQ(stat(file.destination.c_str(), &known), 0);
    EXPECT_EQ(known.st_mtime, 981'173'106);
    EXPECT_EQ(known.st_atime, 1'000'000'000);
}

// srun --bcast and --send-libs: a name for each node, in a folder that is made.
TEST_F(Sbcast, NamesTheFileByTheNode) {
    file.destination = folder + "/copy_";
    file.names_node = true;
    file.size = 3;
    EXPECT_EQ(send("one"), 0);
    EXPECT_EQ(text(folder + "/copy_gpu1"), "one");
    file.behind = "_libs/libone.so";
    EXPECT_EQ(send("two"), 2) << "there is no such folder";
    file.makes_folder = true;
    EXPECT_EQ(send("two"), 0);
    EXPECT_EQ(text(folder + "/copy_gpu1_libs/libone.so"), "two");
    EXPECT_EQ(fs::status(folder + "/copy_gpu1_libs").permissions(), fs::perms::owner_all);
}

TEST_F(Sbcast, ReplacesAFileOnlyIfForced) {
    std::ofstream(file.destination) << "old";
    file.size = 3;
    EXPECT_EQ(send("new"), 17);
    EXPECT_EQ(said(), "sbcast: error: REQUEST_FILE_BCAST(gpu1): File exists\n");
    EXPECT_EQ(there(), "old");
    file.force = true;
    EXPECT_EQ(send("new"), 0);
    EXPECT_EQ(there(), "new");
    EXPECT_EQ(files(), 1U);
}

TEST_F(Sbcast, DoesNotFollowALinkThatIsInItsPlace) {
    std::ofstream(folder + "/victim") << "old";
    fs::create_symlink(folder + "/victim", file.destination);
    file.force = true;
    file.size = 3;
    EXPECT_EQ(send("new"), 0);
    EXPECT_EQ(text(folder + "/victim"), "old");
    EXPECT_EQ(there(), "new");
}

TEST_F(Sbcast, WhatIsCutOffIsNotThere) {
    file.size = 100;
    EXPECT_EQ(send("half"), 5);
    EXPECT_FALSE(fs::exists(file.destination));
    EXPECT_EQ(files(), 0U);
}

TEST_F(Sbcast, SaysThatThereIsNoSuchFolder) {
    file.destination = folder + "/no/there";
    EXPECT_EQ(send(""), 2);
    EXPECT_EQ(said(), "sbcast: error: REQUEST_FILE_BCAST(gpu1): No such file or directory\n");
}

TEST_F(Sbcast, TakesAnyNameForWhatItIs) {
    file.destination = folder + "/-rf $(touch pwned) ; *'\"";
    file.size = 2;
    EXPECT_EQ(send("ok"), 0);
    EXPECT_EQ(there(), "ok");
    EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace berth::slurm
