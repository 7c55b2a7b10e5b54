#include "berth/slurm/text/unit_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "berth/slurm/text/printable.h"
#include "berth/slurm/text/time_format.h"

namespace berth::slurm {
namespace {

TEST(UnitText, ConvertsMemoryAlone) {
    EXPECT_EQ(in_unit("2G", 'M'), "2048M");
    EXPECT_EQ(in_unit("1500M", 'M'), "1500M");
    EXPECT_EQ(in_unit("62.50G", 'M'), "64000M");
    EXPECT_EQ(in_unit("1500M", 'G'), "1.46G");
    EXPECT_EQ(in_unit("2048M", 'G'), "2G");
    EXPECT_EQ(in_unit("cpu=2,mem=10G,node=1", 'M'), "cpu=2,mem=10240M,node=1");
    for (const char* other : {"", "0", "16", "G", "a.bG", "N/A", "cpu=4,gres/gpu=2"})
        EXPECT_EQ(in_unit(other, 'M'), other);
    EXPECT_TRUE(is_unit("T"));
    EXPECT_FALSE(is_unit("MB"));
}

TEST(Printable, LeavesNothingThatMovesTheCursor) {
    EXPECT_EQ(printable("caf\xc3\xa9 \\n"), "caf\xc3\xa9 \\n");
    EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
    EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
    EXPECT_EQ(printable("x\xc2\x9b"
                        "31m"),
              "x\\x9b31m");  // CSI as one character.
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, LeavesNothingThatSeparatesFields) {
    EXPECT_EQ(printable("a|b", "|"), "a\\x7cb");
    EXPECT_EQ(printable("a::FAILED", "::"), "a\\x3a:FAILED");
    EXPECT_EQ(printable("12:00:00", "::"), "12:00:00");
    EXPECT_EQ(printable("a:", "::"), "a\\x3a") << "with the separator behind it";
    EXPECT_EQ(printable(":::", "::"), "\\x3a\\x3a\\x3a");
    EXPECT_EQ(printable("a\xc2\xa7"
                        "b",
                        "\xc2\xa7"),
              "a\\xc2\\xa7b");
    EXPECT_EQ(printable("a::b", ""), "a::b");
}

TEST(TimeFormat, SaysTimesAsTheyAreFromNow) {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    const Time now = from_seconds(1'790'000'000);  // Mon 21 Sep 2026, 14:13:20.
    const auto text = [&](std::int64_t days) {
        return relative_time_text(now + std::chrono::hours(24 * days), now);
    };
    EXPECT_EQ(text(0), "14:13:20");
    EXPECT_EQ(text(1), "Tomorr 14:13");
    EXPECT_EQ(text(-1), "Ystday 14:13");
    EXPECT_EQ(text(3), "Thu 14:13");
    EXPECT_EQ(text(-3), "18 Sep 14:13");
    EXPECT_EQ(text(30), "21 Oct 14:13");
    EXPECT_EQ(text(400), "26 Oct 2027");
}

}  // namespace
}  // namespace berth::slurm
