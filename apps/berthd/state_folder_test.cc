#include "apps/berthd/state_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace berth {
namespace {

namespace fs = std::filesystem;

class StateFolder : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = ::testing::TempDir() + "berth-state-folder-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string refusal() const {
        const Status status = prepare_state_folder(folder_);
        return status.ok() ? std::string() : status.error().message;
    }
    std::string folder_;
};

TEST_F(StateFolder, IsMadeForItsOwnerAlone) {
    folder_ += "/new";
    const mode_t before = ::umask(0);
    EXPECT_EQ(refusal(), "");
    ::umask(before);
    struct stat found{};
    ASSERT_EQ(::stat(folder_.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777, 0700u);
    folder_.resize(folder_.size() - 4);
}

TEST_F(StateFolder, IsRefusedWhereOthersCouldChangeIt) {
    ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
    EXPECT_NE(refusal().find("chmod go-w " + folder_), std::string::npos) << refusal();
    ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
    EXPECT_EQ(refusal(), "");
    std::ofstream(folder_ + "/berth.db") << "database";
    ASSERT_EQ(::chmod((folder_ + "/berth.db").c_str(), 0666), 0);
    EXPECT_NE(refusal().find("chmod go-w " + folder_ + "/berth.db"), std::string::npos);
    fs::remove(folder_ + "/berth.db");
    fs::create_directory(folder_ + "/keys");
    ASSERT_EQ(::chmod((folder_ + "/keys").c_str(), 0770), 0);
    EXPECT_NE(refusal().find("chmod go-w " + folder_ + "/keys"), std::string::npos);
}

TEST_F(StateFolder, IsRefusedWhereTheDatabaseLiesBelowIt) {
    fs::create_directory(folder_ + "/state");
    EXPECT_EQ(refusal(), "");
    std::ofstream(folder_ + "/state/berth.db") << "database";
    EXPECT_NE(refusal().find("berth up --state " + folder_), std::string::npos) << refusal();
    std::ofstream(folder_ + "/berth.db") << "database";
    EXPECT_EQ(refusal(), "") << "its own counts";
}

}  // namespace
}  // namespace berth
