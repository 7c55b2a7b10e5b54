#include "berth/workload/trace_values.h"

#include <gtest/gtest.h>

namespace berth::workload {
namespace {

using namespace std::chrono_literals;

TEST(TraceValues, ReadDecimalsExactly) {
    EXPECT_EQ(*parse_thousandths("66.0"), 66'000);
    EXPECT_EQ(*parse_thousandths("0.0019"), 1);
    EXPECT_EQ(*parse_thousandths("-1.25"), -1250);
    EXPECT_EQ(*parse_thousandths(".5"), 500);
    EXPECT_EQ(*parse_thousandths("7."), 7000);
    for (const char* bad :
         {"", ".", "-", "1e3", "1,5", " 1", "0x1", "1.2.3", "nan", "1234567890123456"}) {
        EXPECT_FALSE(parse_thousandths(bad).ok()) << bad;
    }
}

TEST(TraceValues, HaveBounds) {
    EXPECT_EQ(*parse_seconds("1.5"), 1500ms);
    EXPECT_FALSE(parse_seconds("-1").ok());
    EXPECT_FALSE(parse_seconds("999999999999999").ok());
    EXPECT_EQ(*parse_millis("46122000"), 46'122s);
    EXPECT_EQ(*parse_count("8.0", 1, 8), 8);
    EXPECT_EQ(parse_count("9", 1, 8).error().message, "'9' should be a whole number from 1 to 8");
    EXPECT_FALSE(parse_count("1.5", 1, 8).ok());
}

TEST(TraceValues, ReadMomentsInTheWaysTracesWriteThem) {
    const Time at = from_seconds(1'507'532'515);
    EXPECT_EQ(*parse_moment("2017-10-09 07:01:55"), at);
    EXPECT_EQ(*parse_moment("2017-10-09T07:01:55"), at);
    EXPECT_EQ(*parse_moment("2017/10/9 7:1:55"), at);
    EXPECT_EQ(*parse_moment("2017-10-09 07:01"), at - 55s);
    for (const char* bad : {"", "2017", "2017-10-09", "2017-13-09 07:01:55", "2017-10-09 25:01:55",
                            "2017-10-09 07:01:55x", "2017-10-09 07:01:", "-1-1-1 1:1:1"}) {
        EXPECT_FALSE(parse_moment(bad).ok()) << bad;
    }
}

}  // namespace
}  // namespace berth::workload
