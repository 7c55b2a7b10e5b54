// srun --bcast: which program is copied, which libraries go with it, and what the step then runs.
#include "berth/slurm/jobs/bcast_program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "berth/slurm/jobs/broadcast.h"

namespace berth::slurm {
namespace {

TEST(BcastProgram, IsFoundAsTheShellWouldFindIt) {
    const Invocation call{
        .name = "srun", .arguments = {}, .environment = {{"PATH", "/nosuch:/bin"}}};
    EXPECT_EQ(find_program("sh", call, "/"), "/bin/sh");
    EXPECT_EQ(find_program("./sh", call, "/bin"), "/bin/./sh");
    EXPECT_EQ(find_program("/bin/sh", call, "/nosuch"), "/bin/sh");
    EXPECT_EQ(find_program("nosuch", call, "/bin"), "");
    EXPECT_EQ(find_program("/bin", call, "/"), "") << "a folder";
    EXPECT_EQ(
        find_program("sh", Invocation{.name = "srun", .arguments = {}, .environment = {}}, "/bin"),
        "");
}

TEST(BcastProgram, RunsAsTheCopy) {
    BroadcastFile file;
    file.destination = "/tmp/copy";
    const std::vector<std::string> plain{"/tmp/copy", "-n", "2 3"};
    EXPECT_EQ(command_of_copy(file, false, {"./a.out", "-n", "2 3"}), plain);
    file.names_node = true;
    const auto words = command_of_copy(file, true, {"./a.out", "-n", "2 3"});
    ASSERT_EQ(words.size(), 9U);
    EXPECT_EQ(words.front(), "/bin/sh");
    EXPECT_EQ(words.at(4), "/tmp/copy");
    EXPECT_EQ(words.back(), "2 3");
}

TEST(BcastProgram, TakesItsLibrariesButThoseOfTheSystem) {
    const std::vector<std::string> all{"/lib/libc.so.6", "/library/libx.so",
                                       "/opt/cuda/lib/liby.so"};
    const std::vector<std::string> own{"/library/libx.so", "/opt/cuda/lib/liby.so"};
    EXPECT_EQ(not_excluded(all, kNoLibrariesOf), own);
    EXPECT_EQ(not_excluded(all, "None"), all);
    EXPECT_EQ(not_excluded(all, "lib,/opt/cuda/"), (std::vector<std::string>{all[0], all[1]}));
    const auto found = libraries_of("/bin/sh");
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(std::ranges::any_of(*found, [](const std::string& one) {
        return one.starts_with('/') && one.find("libc.so") != std::string::npos;
    }));
    EXPECT_FALSE(libraries_of("/nosuch").ok());
    EXPECT_EQ(wants_libraries(nullptr), true);
    EXPECT_EQ(wants_libraries("N"), false);
    EXPECT_EQ(wants_libraries("some"), std::nullopt);
}

}  // namespace
}  // namespace berth::slurm
