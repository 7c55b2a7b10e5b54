// Single runs against those published for the same seed, where the traces are.
#include "berth/report/openb_run.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace berth::report {
namespace {

// Skips, and says why, where the traces cannot be read.
class SnapshotRun : public ::testing::Test {
protected:
    void SetUp() override {
        const char* const shared = std::getenv("BERTH_SHARED");
        folder = std::string(shared != nullptr ? shared : BERTH_SOURCE_DIR "/../shared") +
                 "/traces/openb/";
        if (!std::filesystem::exists(folder + "openb_node_list_gpu_node.csv")) {
            GTEST_SKIP() << "SKIPPED: the openb traces are not in " << folder;
        }
        if (std::system("zstd --version >/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "SKIPPED: there is no zstd to read the openb traces with";
        }
    }
    OpenbTrace trace_of(const std::string& name) const {
        return openb_trace(
                   output_of("cat '" + folder + "openb_node_list_gpu_node.csv'"),
                   output_of("zstd -dcq '" + folder + "openb_pod_list_" + name + ".csv.zst'"))
            .value();
    }
    static std::string output_of(const std::string& command) {
        FILE* const pipe = popen(command.c_str(), "r");
        std::string text;
        for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
            text += static_cast<char>(letter);
        }
        EXPECT_EQ(pclose(pipe), 0) << command;
        return text;
    }

    std::string folder;
};

RuleSpec rule(std::string name, std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    return {
        .kind = "placement", .name = std::move(name), .weight = 1, .settings = std::move(settings)};
}

TEST_F(SnapshotRun, HasItsPodsAddUpToJustBelowTheEnd) {
    const OpenbTrace trace = trace_of("cpu050");
    for (std::uint64_t seed = 42; seed < 52; ++seed) {
        const OpenbOrder order = openb_order(trace, OpenbOrders::published, seed);
        std::int64_t asked = 0;
        for (const OpenbWork& pod : order.pods) asked += pod.gpu_milli();
        EXPECT_LE(asked * 10, trace.gpu_milli * 13 + 80'000) << seed;
        EXPECT_GT(asked * 10, trace.gpu_milli * 13 - 80'000) << seed;
        EXPECT_EQ(order.nodes.size(), trace.cluster.nodes.size());
    }
}

// None of these runs was used to find out how the orders are drawn.
TEST_F(SnapshotRun, AllocatesToTheHundredthWhatItDidThen) {
    const auto at_130 = [](const OpenbTrace& trace, std::uint64_t seed, const RuleSpec& with) {
        return run_openb(trace, openb_order(trace, OpenbOrders::published, seed), {with}).at_130;
    };
    const OpenbTrace cpu = trace_of("cpu050");
    EXPECT_NEAR(at_130(cpu, 46, rule("fgd")), 95.14, 0.01);
    EXPECT_NEAR(at_130(cpu, 47, rule("dot_product", {{"steps", 100}})), 93.19, 0.01);
    const OpenbTrace share = trace_of("gpushare40");
    EXPECT_NEAR(at_130(share, 47, rule("gpu_packing")), 89.03, 0.01);
    EXPECT_NEAR(at_130(share, 50, rule("best_fit", {{"steps", 100}})), 91.96, 0.01);
}

}  // namespace
}  // namespace berth::report
