// A gate that is missed is named, and so is one that nothing was measured for.
#include "bench/gates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bench/json_number.h"

namespace berth::bench {
namespace {

using Lines = std::vector<std::string>;

const std::vector<Measured> kRows = {{"heavy_10k", {{"full_cycle_ms", 66.1}, {"event_ms", 0.5}}},
                                     {"users_10k", {{"full_cycle_ms", 40}}}};

Lines missed_of(const std::string& text, bool partly = false) {
    return missed(parse_gates(text, "gates").value(), kRows, partly);
}

TEST(Gates, NameWhatIsMissed) {
    EXPECT_EQ(missed_of("heavy_10k full_cycle_ms 50\nheavy_10k event_ms 5\n"
                        "users_10k full_cycle_ms 40\n"),
              Lines{"heavy_10k full_cycle_ms: 66.1, at most 50"});
    EXPECT_EQ(missed_of("# all\n\nusers_10k full_cycle_ms 39.9 # ms\n"),
              Lines{"users_10k full_cycle_ms: 40, at most 39.9"});
}

TEST(Gates, NameWhatWasNotMeasured) {
    EXPECT_EQ(missed_of("heavy_11k full_cycle_ms 50\nheavy_10k cycle 50"),
              (Lines{"heavy_11k full_cycle_ms: not measured, there is no such case",
                     "heavy_10k cycle: not measured, there is no such value"}));
    EXPECT_EQ(missed_of("heavy_11k full_cycle_ms 50", true), Lines{});
}

TEST(Gates, AreNotPassedByWhatIsNoNumber) {
    const std::vector<Measured> rows = {{"a", {{"b", std::nan("")}}}};
    EXPECT_EQ(missed({{"a", "b", 1}}, rows, false), Lines{"a b: not measured, at most 1"});
}

TEST(JsonNumber, IsNullForWhatWasNotMeasured) {
    EXPECT_EQ(json_number(23.08054), "23.0805");
    EXPECT_EQ(json_number(0), "0");
    EXPECT_EQ(json_number(std::nan("")), "null");
    EXPECT_EQ(json_number(std::numeric_limits<double>::infinity()), "null");
}

TEST(Gates, SayWhatALineShouldBe) {
    for (const char* const line : {"heavy_10k", "heavy_10k 50", "a b c", "a b 1 2", "a b -1"}) {
        const auto gates = parse_gates(std::string("ok ok 1\n") + line, "gates.txt");
        ASSERT_FALSE(gates.ok()) << line;
        EXPECT_EQ(gates.error().message,
                  "gates.txt:2: '" + std::string(line) +
                      "' should be CASE VALUE LIMIT, as 'heavy_10k full_cycle_ms 50'");
    }
}

}  // namespace
}  // namespace berth::bench
