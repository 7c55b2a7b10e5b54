#include "berth/api/job_name.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(JobName, IsReadAndWrittenAsUsersKnowIt) {
    const struct {
        const char* text;
        JobName name;
        const char* again;
    } cases[] = {
        {"12", {JobId(12), {}}, "12"},
        {"12_3", {JobId(12), {3}}, "12_3"},
        {"12_[3]", {JobId(12), {3}}, "12_3"},
        {"12_[7,1-3,2]", {JobId(12), {1, 2, 3, 7}}, "12_[1-3,7]"},
        {"12_[0-9:3]", {JobId(12), {0, 3, 6, 9}}, "12_[0,3,6,9]"},
        {"12_[4294967295]", {JobId(12), {4294967295}}, "12_4294967295"},
    };
    for (const auto& one : cases) {
        const Result<JobName> read = parse_job_name(one.text);
        ASSERT_TRUE(read.ok()) << one.text;
        EXPECT_EQ(*read, one.name) << one.text;
        EXPECT_EQ(to_string(*read), one.again);
    }
}

TEST(JobName, RefusesWhatIsNone) {
    for (const char* text : {"",           "a",     "-1",      "+1",
                             "1.2",        "1_",    "1_a",     "1_[",
                             "1_[]",       "1_[1",  "1_[3-1]", "1_[1-2:0]",
                             "1_1-2",      "1_1,2", "1_[1:2]", "1_[0-4294967295]",
                             "4294967296", "1 ",    "1_[1-]",  "1_[-1]"}) {
        EXPECT_FALSE(parse_job_name(text).ok()) << text;
    }
}

}  // namespace
}  // namespace berth::api
