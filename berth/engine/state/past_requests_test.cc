#include "berth/engine/state/past_requests.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

PastRequest request(const std::string& id, std::uint32_t job, std::int64_t at) {
    return {id, JobId{job}, 1000, from_seconds(at)};
}

TEST(PastRequests, AreKeptForADay) {
    PastRequests past;
    past.remember(request("a", 1, 0));
    past.remember(request("b", 2, 24 * 3600));
    ASSERT_NE(past.find("a"), nullptr);
    EXPECT_EQ(past.find("a")->job, JobId{1});
    past.remember(request("c", 3, 24 * 3600 + 1));
    EXPECT_EQ(past.find("a"), nullptr);
    EXPECT_NE(past.find("b"), nullptr);
    EXPECT_EQ(past.find("d"), nullptr);
}

TEST(PastRequests, AreBounded) {
    PastRequests past;
    for (std::uint32_t i = 0; i <= PastRequests::kMax; ++i) {
        past.remember(request("r" + std::to_string(i), i, 0));
    }
    EXPECT_EQ(past.all().size(), PastRequests::kMax);
    EXPECT_EQ(past.find("r0"), nullptr);
    EXPECT_NE(past.find("r1"), nullptr);
}

TEST(PastRequests, RememberEachOnce) {
    PastRequests past;
    past.remember(request("a", 1, 0));
    past.remember(request("a", 2, 1));
    EXPECT_EQ(past.all().size(), 1U);
    EXPECT_EQ(past.find("a")->job, JobId{2});
}

}  // namespace
}  // namespace berth
