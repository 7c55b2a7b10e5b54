#include "berth/host/os/left_behind.h"

#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace berth {
namespace {

namespace fs = std::filesystem;

class LeftBehindTest : public ::testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/berth-left.XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        places.folder = name;
        places.segments = "/dev/null";
    }
    void TearDown() override { fs::remove_all(places.folder); }
    void write(const std::string& name) const {
        std::ofstream(places.folder + "/" + name) << std::string(8192, 'x');
    }

    SharedMemoryPlaces places;
    const std::uint32_t uid = geteuid();
};

TEST_F(LeftBehindTest, FindsTheUsersFilesSinceThenAndRemovesThem) {
    write("psm_a");
    fs::create_directories(places.folder + "/dir/sub");
    write("dir/sub/b");
    fs::create_symlink("/etc/passwd", places.folder + "/link");
    const LeftBehind left = find_left_behind(uid, time(nullptr) - 60, places);
    EXPECT_EQ(left.files, (std::vector<std::string>{"dir", "link", "psm_a"}));
    EXPECT_NE(in_words(left).find("3 files in /dev/shm (dir, link, psm_a), 1 MiB"),
              std::string::npos)
        << in_words(left);
    EXPECT_TRUE(find_left_behind(uid, time(nullptr) + 60, places).none());
    EXPECT_TRUE(find_left_behind(uid + 1, 0, places).none());
    EXPECT_TRUE(remove_left_behind(left, uid, places).none());
    EXPECT_TRUE(fs::is_empty(places.folder));
    EXPECT_TRUE(fs::exists("/etc/passwd"));
}

TEST_F(LeftBehindTest, TakesNothingOfAnotherUser) {
    write("a");
    const LeftBehind left = find_left_behind(uid, 0, places);
    EXPECT_EQ(remove_left_behind(left, uid + 1, places).files, left.files);
    EXPECT_TRUE(fs::exists(places.folder + "/a"));
}

TEST_F(LeftBehindTest, FindsAndRemovesSharedMemorySegments) {
    places.segments = "/proc/sysvipc/shm";
    const auto begun = time(nullptr) - 1;
    const int id = shmget(IPC_PRIVATE, 3 << 20, IPC_CREAT | 0600);
    if (id < 0) GTEST_SKIP() << "SKIPPED: no System V shared memory here";
    const auto is_found = [&] {
        const LeftBehind left = find_left_behind(uid, begun, places);
        return std::ranges::find(left.segments, id) != left.segments.end();
    };
    EXPECT_TRUE(is_found());
    void* const at = shmat(id, nullptr, 0);
    EXPECT_FALSE(is_found());  // A process has attached it.
    shmdt(at);
    LeftBehind left;
    left.segments = {id};
    EXPECT_EQ(in_words({{}, {id}, 3 << 20}), "1 System V shared memory segment, 3 MiB");
    EXPECT_TRUE(remove_left_behind(left, uid, places).none());
    EXPECT_FALSE(is_found());
}

TEST_F(LeftBehindTest, KnowsWhoseProcessesRun) {
    EXPECT_TRUE(has_processes_of(uid));
    EXPECT_FALSE(has_processes_of(3'999'999));
}

}  // namespace
}  // namespace berth
