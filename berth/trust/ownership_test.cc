#include "berth/trust/ownership.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace berth {
namespace {

namespace fs = std::filesystem;
constexpr uid_t kSomebody = 12345;

class Ownership : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = ::testing::TempDir() + "berth-ownership-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        before_ = ::umask(0);
    }
    void TearDown() override {
        ::umask(before_);
        fs::remove_all(folder_);
    }
    std::string path(const std::string& name) const { return folder_ + '/' + name; }
    std::string file(const std::string& name, mode_t mode) const {
        std::ofstream(path(name)) << "text";
        EXPECT_EQ(::chmod(path(name).c_str(), mode), 0);
        return path(name);
    }
    static mode_t mode_of(const std::string& path) {
        struct stat found{};
        return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
    }

    std::string folder_;
    mode_t before_ = 0;
};

TEST_F(Ownership, AFileThatOthersMayChangeIsRefusedWithTheCommandThatMendsIt) {
    EXPECT_TRUE(check_ownership(file("own", 0644)).ok());
    EXPECT_TRUE(check_ownership(path("nothing")).ok());
    for (const mode_t mode : {0664U, 0646U, 0666U}) {
        const Status status = check_ownership(file("loose", mode));
        ASSERT_FALSE(status.ok());
        EXPECT_EQ(status.error().message,
                  "other users may write to " + path("loose") + ": chmod go-w " + path("loose"));
    }
}

TEST_F(Ownership, AnotherUsersFileIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root to give a file away";
    const std::string given = file("given", 0644);
    ASSERT_EQ(::chown(given.c_str(), kSomebody, kSomebody), 0);
    const Status status = check_ownership(given);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message,
              given + " belongs to uid 12345 and should belong to root: chown root " + given);
}

TEST_F(Ownership, FoldersGetTheirModesWhateverTheUmask) {
    ASSERT_TRUE(make_owned_folder(path("a/b/c"), 0700).ok());
    EXPECT_EQ(mode_of(path("a")), 0755u);
    EXPECT_EQ(mode_of(path("a/b")), 0755u);
    EXPECT_EQ(mode_of(path("a/b/c")), 0700u);
    ASSERT_TRUE(make_owned_folder(path("a/d/"), 0750).ok());
    EXPECT_EQ(mode_of(path("a/d")), 0750u);
    ASSERT_TRUE(make_owned_folder(path("a/b"), 0700).ok());
    EXPECT_EQ(mode_of(path("a/b")), 0755u) << "what exists keeps its mode";
    file("text", 0644);
    EXPECT_FALSE(make_owned_folder(path("text"), 0755).ok());
    ASSERT_EQ(::chmod(path("a/d").c_str(), 0777), 0);
    const Status loose = make_owned_folder(path("a/d"), 0755);
    ASSERT_FALSE(loose.ok());
    EXPECT_NE(loose.error().message.find("chmod go-w"), std::string::npos);
}

TEST_F(Ownership, RootFollowsNoLinkOfAUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root";
    ASSERT_TRUE(make_owned_folder(path("real"), 0755).ok());
    ASSERT_EQ(::symlink("real", path("own").c_str()), 0);
    EXPECT_TRUE(check_path(path("own/state")).ok()) << "root's own link";
    ASSERT_EQ(::symlink("real", path("users").c_str()), 0);
    ASSERT_EQ(::lchown(path("users").c_str(), kSomebody, kSomebody), 0);
    for (const char* const name : {"users", "users/state", "real/../users"}) {
        const Status status = check_path(path(name));
        ASSERT_FALSE(status.ok()) << name;
        EXPECT_NE(status.error().message.find("belongs to uid 12345"), std::string::npos);
        EXPECT_FALSE(make_owned_folder(path(name), 0755).ok()) << name;
    }
    EXPECT_FALSE(fs::exists(path("real/state"))) << "nothing was made behind the link";
    ASSERT_EQ(::symlink("loop", path("loop").c_str()), 0);
    EXPECT_FALSE(check_path(path("loop")).ok());
}

TEST_F(Ownership, RootMakesNothingWhereAUserCouldReplaceIt) {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root";
    ASSERT_TRUE(make_owned_folder(path("home"), 0755).ok());
    ASSERT_EQ(::chown(path("home").c_str(), kSomebody, kSomebody), 0);
    EXPECT_FALSE(make_owned_folder(path("home/cluster"), 0755).ok());
    ASSERT_TRUE(make_owned_folder(path("open"), 0755).ok());
    ASSERT_EQ(::chmod(path("open").c_str(), 0777), 0);
    EXPECT_FALSE(make_owned_folder(path("open/cluster"), 0755).ok());
    ASSERT_EQ(::chmod(path("open").c_str(), 01777), 0);
    EXPECT_TRUE(make_owned_folder(path("open/cluster"), 0755).ok()) << "like /tmp";
}

}  // namespace
}  // namespace berth
