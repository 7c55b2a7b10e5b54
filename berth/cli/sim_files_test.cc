#include "berth/cli/sim_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "berth/cli/sim_progress.h"

namespace berth::cli {
namespace {

// A folder of its own, gone at the end.
class SimFiles : public ::testing::Test {
protected:
    SimFiles() {
        std::string pattern = ::testing::TempDir() + "berth-sim-XXXXXX";
        folder = mkdtemp(pattern.data());
    }
    ~SimFiles() override { std::filesystem::remove_all(folder); }
    std::string write(const std::string& name, const std::string& text) const {
        EXPECT_TRUE(write_file(folder + "/" + name, text).ok());
        return folder + "/" + name;
    }

    std::string folder;
    std::string cluster = std::string(BERTH_SOURCE_DIR) + "/docs/examples/philly.yaml";
    std::vector<std::string> remarks;
};

TEST_F(SimFiles, HaveASampleOfPhilly) {
    const auto sample = read_trace("philly", 1, 8);
    ASSERT_TRUE(sample.ok()) << sample.error().message;
    EXPECT_EQ(sample->jobs.size(), 600U);
    EXPECT_EQ(sample->bad, 0U);
    const std::string path = std::string(BERTH_SOURCE_DIR) + "/tests/data/philly_sample.csv";
    EXPECT_EQ(read_trace("philly:" + path, 1, 8)->jobs, sample->jobs);
    EXPECT_FALSE(read_trace("muri", 1, 8).ok());
}

TEST_F(SimFiles, UnpackWhatIsPacked) {
    const std::string path = write("it's.csv", "a,b\n1,2\n");
    if (std::system(("zstd -q \"" + path + "\" 2>/dev/null").c_str()) != 0) {
        GTEST_SKIP() << "SKIPPED: needs the program zstd";
    }
    EXPECT_EQ(read_file(path + ".zst").value(), "a,b\n1,2\n");
    const auto bad = read_file(write("bad.zst", "hello"));
    ASSERT_FALSE(bad.ok());
    EXPECT_TRUE(bad.error().message.starts_with("cannot unpack "));
}

TEST_F(SimFiles, TakePoliciesByNameOrFile) {
    const auto named = read_cluster(cluster, "las:easy", remarks);
    ASSERT_TRUE(named.ok()) << named.error().message;
    EXPECT_EQ(named->scheduling.plan_depth, 1U);
    const std::string conf = write("age.conf", "PriorityWeightAge=77\nPreemptMode=REQUEUE\n");
    const auto from_file = read_cluster(cluster, conf + ":none", remarks);
    EXPECT_FALSE(from_file.ok());  // Preemption is no part of a policy yet.
    const std::string good = write("good.conf", "PriorityWeightAge=77\n");
    const auto spec = read_cluster(cluster, good + ":none", remarks);
    ASSERT_TRUE(spec.ok()) << spec.error().message;
    EXPECT_FALSE(spec->scheduling.backfill);
    const auto age = std::ranges::find(spec->scheduling.rules, "age", &RuleSpec::name);
    ASSERT_NE(age, spec->scheduling.rules.end());
    EXPECT_EQ(age->weight, 77);
    EXPECT_TRUE(remarks.empty());
}

TEST_F(SimFiles, SayWhatAClusterMayBe) {
    EXPECT_EQ(read_cluster(folder + "/none.yaml").error().message,
              "there is no " + folder +
                  "/none.yaml; give a berth.yaml, a slurm.conf, or a directory with them");
}

TEST_F(SimFiles, NameTheLineOfAPolicyThatIsWrong) {
    const std::string path = write("x.conf", "\nPriorityWeightAge=old\n");
    EXPECT_TRUE(
        read_cluster(cluster, path, remarks).error().message.starts_with(path + ":2: error"));
    EXPECT_EQ(read_cluster(cluster, folder + "/none.conf", remarks).error().message,
              "cannot read " + folder + "/none.conf");
    EXPECT_TRUE(read_cluster(cluster, "best", remarks)
                    .error()
                    .message.starts_with("there is no policy 'best'; there are own, fifo"));
}

TEST(SimProgress, SaysHowFarHowFastAndHowLong) {
    EXPECT_EQ(progress_text(1200, 3000, 51'000, 10),
              "1200 of 3000 jobs (40 %), 5100 events/s, 15 s left");
    EXPECT_EQ(progress_text(0, 3000, 100, 1), "0 of 3000 jobs (0 %), 100 events/s");
}

}  // namespace
}  // namespace berth::cli
