#include "berth/model/oversubscribe.h"

#include <gtest/gtest.h>

#include <utility>

namespace berth {
namespace {

TEST(Oversubscribe, IsWrittenAsSlurmDoes) {
    for (const auto& [text, written] :
         {std::pair("no", "NO"), std::pair("Exclusive", "EXCLUSIVE"), std::pair("yes", "YES:4"),
          std::pair("FORCE", "FORCE:4"), std::pair("force:1", "FORCE:1"),
          std::pair(" Yes:2 ", "YES:2"), std::pair("FORCE:64", "FORCE:64")}) {
        const auto read = parse_oversubscribe(text);
        ASSERT_TRUE(read.ok()) << text;
        EXPECT_EQ(*read, written);
    }
    for (const char* const wrong :
         {"", "maybe", "NO:1", "EXCLUSIVE:2", "YES:", "YES:0", "FORCE:65", "FORCE:x", "FORCE:2:2"})
        EXPECT_FALSE(parse_oversubscribe(wrong).ok()) << wrong;
}

TEST(Oversubscribe, SaysHowManyJobsHoldACore) {
    EXPECT_EQ(core_sharing_of("NO").jobs, 1U);
    EXPECT_EQ(core_sharing_of("EXCLUSIVE").jobs, 1U);
    EXPECT_EQ(core_sharing_of("FORCE:1").jobs, 1U);
    EXPECT_EQ(core_sharing_of("FORCE:3").jobs, 3U);
    EXPECT_FALSE(core_sharing_of("FORCE:3").if_asked);
    EXPECT_EQ(core_sharing_of("YES:2").jobs, 2U);
    EXPECT_TRUE(core_sharing_of("YES:2").if_asked);
}

TEST(Oversubscribe, OfAJobIsAloneOrAskedForOrNeither) {
    JobRequest request;
    EXPECT_EQ(oversubscribe_text(request), "OK");
    request.oversubscribe = true;
    EXPECT_EQ(oversubscribe_text(request), "YES");
    request.exclusive = true;
    EXPECT_EQ(oversubscribe_text(request), "NO");
}

}  // namespace
}  // namespace berth
