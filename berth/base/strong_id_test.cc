#include "berth/base/strong_id.h"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

namespace berth {
namespace {

using JobId = StrongId<struct JobTag, std::uint64_t>;
using NodeId = StrongId<struct NodeTag>;

// What must not compile is as much a part of it as what must.
static_assert(NodeId() == NodeId(0));  // Only so that a record can be read into it.
static_assert(!std::is_convertible_v<std::uint32_t, NodeId>);
static_assert(!std::is_convertible_v<NodeId, std::uint32_t>);
static_assert(!std::is_constructible_v<NodeId, JobId>);
static_assert(!std::is_default_constructible_v<std::hash<NodeId>>);
static_assert(sizeof(NodeId) == sizeof(std::uint32_t));

TEST(StrongId, OrdersByItsNumber) {
    EXPECT_LT(NodeId(2), NodeId(10));
    EXPECT_EQ(NodeId(2), NodeId(2));
    EXPECT_NE(NodeId(2), NodeId(3));
}

TEST(StrongId, IsAPlaceInAVectorAndBack) {
    EXPECT_EQ(NodeId(7).index(), 7U);
    EXPECT_EQ(NodeId::from_index(7), NodeId(7));
}

TEST(StrongId, PrintsAsItsNumber) { EXPECT_EQ(to_string(JobId(1'000'000'007)), "1000000007"); }

}  // namespace
}  // namespace berth
