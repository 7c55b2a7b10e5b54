#include "berth/model/dependency_text.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

TEST(DependencyText, ReadsWhatSlurmsUsersWrite) {
    const auto parsed = parse_dependencies("afterok:12:13_4,after:7+5, Singleton,afterany:8_*");
    ASSERT_TRUE(parsed.ok());
    ASSERT_EQ(parsed->all.size(), 5U);
    EXPECT_EQ(parsed->all[1].job, JobId(13));
    EXPECT_EQ(parsed->all[1].array_task, 4U);
    EXPECT_EQ(parsed->all[2].delay, std::chrono::minutes(5));
    EXPECT_EQ(parsed->all[3].kind, DependencyKind::singleton);
    EXPECT_EQ(parsed->all[4].array_task, std::nullopt);
    EXPECT_FALSE(parsed->any);
    EXPECT_TRUE(parse_dependencies("afterok:1?afterany:2")->any);
    EXPECT_TRUE(parse_dependencies(" ")->all.empty());
}

TEST(DependencyText, NamesWhatIsWrong) {
    for (const char* wrong : {"afterok", "afterok:", "afterok:x", "afterok:0", "sometime:1",
                              "afterok:1+5", "after:1+-5", "afterok:1_[1-2]", "singleton:1",
                              "afterok:1,,afterok:2", "afterok:4294967295"}) {
        EXPECT_FALSE(parse_dependencies(wrong).ok()) << wrong;
    }
    EXPECT_EQ(
        parse_dependencies("afterok:1,before:3").error().message,
        "'before:3' is no dependency: afterok:12, after:12+5, afterany:12_3 and singleton are "
        "some");
    EXPECT_EQ(
        parse_dependencies("afterok:1?afterany:2,after:3").error().message,
        "'afterok:1?afterany:2,after:3' joins dependencies by ',' and by '?': it can be one of "
        "them");
}

}  // namespace
}  // namespace berth
