#include <gtest/gtest.h>

#include "berth/testing/fixed_view.h"
#include "berth/testing/shared_gpus.h"

namespace berth {
namespace {

using LeastLoaded = testing::SharedGpus;

TEST_F(LeastLoaded, WeighsWhatWasRead) {
    struct Case {
        const char* what;
        std::vector<GpuReading> gpus;
        DeviceMask chosen;
        std::int64_t percent;
    };
    const Case cases[] = {
        {"idle and cold", {{0, 0, 0, 0, 0}}, 0, 100},
        {"all of it busy: 50 of 100 points", {{0, 100, 0, 0, 0}}, 0, 50},
        {"half its memory: 15 points", {{0, 0, 50, 0, 0}}, 0, 85},
        {"too hot, though it rests", {{0, 0, 0, 90, 0}}, 0, 0},
        {"memory alone was read", {{0, kNotRead, 40, kNotRead, kNotRead}}, 0, 60},
        {"nothing was read", {{0}}, 0, 50},
        {"the mean of all", {{0, 100, 0, 0, 0}, {1, 0, 0, 0, 0}}, 0, 75},
        {"those chosen alone", {{0, 100, 0, 0, 0}, {1, 0, 0, 0, 0}}, 2, 100},
        {"no report of the one chosen", {{0, 100, 0, 0, 0}}, 4, 50},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        view_.seen = NodeReadings{view_.at, c.gpus};
        const std::vector<std::int32_t> milli(4, 1000);
        EXPECT_EQ(score("least_loaded", candidate(64, milli, c.chosen, 500)),
                  Ppm(c.percent * 10'000));
    }
}

TEST_F(LeastLoaded, IgnoresAnOldReport) {
    const std::vector<std::int32_t> milli(4, 1000);
    const auto candidate_now = [&] { return candidate(64, milli, 1, 500); };
    EXPECT_EQ(score("least_loaded", candidate_now()), Ppm(500'000));  // No reading yet.
    view_.seen = NodeReadings{view_.at, {{0, 0, 0, 20, 0}}};
    EXPECT_GT(score("least_loaded", candidate_now()), Ppm(900'000));
    view_.at += std::chrono::seconds(91);
    EXPECT_EQ(score("least_loaded", candidate_now()), Ppm(500'000));
}

}  // namespace
}  // namespace berth
