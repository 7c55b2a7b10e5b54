// Single runs against those published for the same seed, where the traces are.
#include "bench/openb_run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace berth::openb {
namespace {

// Skips, and says why, where the traces cannot be read.
class PublishedRun : public ::testing::Test {
protected:
    void SetUp() override {
        const char* const shared = std::getenv("BERTH_SHARED");
        folder = std::string(shared != nullptr ? shared : BERTH_SOURCE_DIR "/../shared") +
                 "/traces/openb";
        if (!std::filesystem::exists(folder + "/openb_node_list_gpu_node.csv")) {
            GTEST_SKIP() << "the openb traces are not in " << folder;
        }
        if (std::system("zstd --version >/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "there is no zstd to read the openb traces with";
        }
    }

    std::string folder;
};

RuleSpec rule(std::string name, std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    return {
        .kind = "placement", .name = std::move(name), .weight = 1, .settings = std::move(settings)};
}

TEST_F(PublishedRun, HasItsPodsAddUpToJustBelowTheEnd) {
    const Trace trace = read_trace(folder, "cpu050");
    for (std::uint64_t seed = 42; seed < 52; ++seed) {
        const RunOrder order = order_of(trace, Orders::published, seed);
        std::int64_t asked = 0;
        for (const Pod& pod : order.pods) asked += pod.gpu_milli();
        EXPECT_LE(asked * 10, trace.gpu_milli * 13 + 80'000) << seed;
        EXPECT_GT(asked * 10, trace.gpu_milli * 13 - 80'000) << seed;
        EXPECT_EQ(order.nodes.size(), trace.cluster.nodes.size());
    }
}

// None of these runs was used to find out how the orders are drawn.
TEST_F(PublishedRun, AllocatesToTheHundredthWhatItDidThen) {
    const auto at_130 = [](const Trace& trace, std::uint64_t seed, const RuleSpec& with) {
        return run(trace, order_of(trace, Orders::published, seed), {with}).at_130;
    };
    const Trace cpu = read_trace(folder, "cpu050");
    EXPECT_NEAR(at_130(cpu, 46, rule("fgd")), 95.14, 0.01);
    EXPECT_NEAR(at_130(cpu, 47, rule("dot_product", {{"steps", 100}})), 93.19, 0.01);
    const Trace share = read_trace(folder, "gpushare40");
    EXPECT_NEAR(at_130(share, 47, rule("gpu_packing")), 89.03, 0.01);
    EXPECT_NEAR(at_130(share, 50, rule("best_fit", {{"steps", 100}})), 91.96, 0.01);
}

}  // namespace
}  // namespace berth::openb
