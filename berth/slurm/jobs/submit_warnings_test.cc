#include "berth/slurm/jobs/submit_warnings.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace berth::slurm {
namespace {

class FileWarnings : public ::testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/berth-files.XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        command.work_dir = folder = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string only() const {
        const auto all = file_warnings(command);
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? "" : all.front();
    }

    std::string folder;
    JobCommand command;
};

TEST_F(FileWarnings, NothingIsSaidOfWhatIsThereOrCannotBeKnown) {
    EXPECT_TRUE(file_warnings(command).empty());
    command.std_out = "%u/%j.out";
    command.std_err = "/dev/null";
    EXPECT_TRUE(file_warnings(command).empty());
}

TEST_F(FileWarnings, SayWhichFileWhyAndWhatWillBecomeOfTheJob) {
    command.std_out = "nosuch/%j.out";
    EXPECT_EQ(only(), "the output file " + folder +
                          "/nosuch/%j.out cannot be used on this host: No such file or directory; "
                          "unless the job's node can, the job will fail");
    command.std_out.clear();
    command.std_err = "/nosuch/err";
    EXPECT_EQ(only().find("the error file /nosuch/err cannot be used on this host: No such"), 0U);
    command.std_err.clear();
    command.std_in = "in";
    EXPECT_EQ(only().find("the input file " + folder + "/in cannot be used"), 0U);
}

TEST_F(FileWarnings, AFolderThatIsNotThereTakesTheDefaultOutputWithIt) {
    command.work_dir = "/nosuch";
    const auto all = file_warnings(command);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(all[0].find("the working directory /nosuch cannot be used"), std::string::npos);
    EXPECT_NE(all[0].find("it will run in /tmp"), std::string::npos);
    EXPECT_NE(all[1].find("the output file /nosuch/slurm-%j.out"), std::string::npos);
    command.std_out = folder + "/out";
    EXPECT_EQ(file_warnings(command).size(), 1U);
}

}  // namespace
}  // namespace berth::slurm
