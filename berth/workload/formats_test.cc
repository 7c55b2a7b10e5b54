#include "berth/workload/formats.h"

#include <gtest/gtest.h>

namespace berth::workload {
namespace {

using namespace std::chrono_literals;

TEST(PhillyTrace, GivesJobsAndNamesBadRows) {
    const auto read = read_philly(
        "timestamp,duration,num_gpus,gpu_time,cluster\n"
        "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
        "2017-10-09 06:13:03,2951.5,8,2951.0,6214e9\n"
        "2017-10-09 06:13:03,,8,2951.0,6214e9\n"
        "2017-10-09 06:13:03,12.0,0,2951.0,6214e9\n"
        "2017-10-09\n");
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read->rows, 5U);
    EXPECT_EQ(read->begin, 1'507'529'583);
    ASSERT_EQ(read->jobs.size(), 2U);
    EXPECT_EQ(read->jobs[0], (TraceJob{.number = 2,
                                       .submit = 0s,
                                       .run_time = 2951500ms,
                                       .gpus = 8,
                                       .user = "6214e9",
                                       .account = "6214e9"}));
    EXPECT_EQ(read->jobs[1].submit, 48min + 52s);
    const std::vector<RowError> errors = {{4, "'' should be a number of seconds, not negative"},
                                          {5, "'0' should be a whole number from 1 to 100000"},
                                          {6, "has 1 fields; the header has 5"}};
    EXPECT_EQ(read->errors, errors);
    EXPECT_FALSE(read_philly("a,b\n1,2\n").ok());
}

TEST(Formats, AreFoundByName) {
    for (const Format& format : formats()) {
        EXPECT_EQ(find_format(format.name), &format);
        EXPECT_FALSE(format.read("").ok()) << format.name;
    }
    EXPECT_EQ(find_format("nothing"), nullptr);
}

}  // namespace
}  // namespace berth::workload
