#include "berth/engine/derived/shape.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

std::vector<Duration> lengths_of(const Kind& kind) {
    std::vector<Duration> lengths;
    for (const Shape* const shape : kind.shapes) lengths.push_back(shape->length);
    return lengths;
}

TEST(SharedShape, IsOneForEachLengthOfAKind) {
    const auto kind = std::make_shared<Kind>();
    const SharedShape two(kind, Duration(2)), one(kind, Duration(1)), three(kind, Duration(3));
    const SharedShape again(kind, Duration(2));
    EXPECT_EQ(again.get(), two.get());
    EXPECT_EQ(again->kind, kind.get());
    EXPECT_EQ(lengths_of(*kind), (std::vector<Duration>{Duration(1), Duration(2), Duration(3)}));
    const SharedShape of_another(std::make_shared<Kind>(), Duration(2));
    EXPECT_NE(of_another.get(), two.get());
}

TEST(SharedShape, LeavesItsKindWithItsLastHolder) {
    const auto kind = std::make_shared<Kind>();
    SharedShape one(kind, Duration(1)), two(kind, Duration(2));
    SharedShape copy = two;
    two = one;
    EXPECT_EQ(lengths_of(*kind), (std::vector<Duration>{Duration(1), Duration(2)}));
    SharedShape moved = std::move(copy);
    EXPECT_EQ(copy.get(), nullptr);  // NOLINT(bugprone-use-after-move): that is what is asked.
    moved = {};
    EXPECT_EQ(lengths_of(*kind), (std::vector<Duration>{Duration(1)}));
    EXPECT_EQ(SharedShape(kind, Duration(2))->bound, Time{});  // Nothing is known of it any more.
}

TEST(SharedShape, HoldsItsKind) {
    std::weak_ptr<Kind> known;
    SharedShape one, two;
    {
        const auto kind = std::make_shared<Kind>(Kind{.number = 7});
        known = kind;
        one = SharedShape(kind, Duration(1));
        two = SharedShape(kind, Duration(2));
    }
    one = {};
    ASSERT_FALSE(known.expired());
    EXPECT_EQ(two->kind->number, 7U);
    // It can get shapes again while any of its is held.
    one = SharedShape(known.lock(), Duration(3));
    two = {};
    EXPECT_FALSE(known.expired());
    one = {};
    EXPECT_TRUE(known.expired());
}

}  // namespace
}  // namespace berth
