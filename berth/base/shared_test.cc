#include "berth/base/shared.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/base/codec.h"

namespace berth {
namespace {

using Words = Shared<std::vector<std::string>>;

TEST(Shared, IsTheSameObjectInAllCopies) {
    const Words one = std::vector<std::string>{"a", "b"};
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): this is about copies.
    const Words copy = one;
    EXPECT_TRUE(copy.is_same(one));
    EXPECT_EQ(copy.front(), "a");
    EXPECT_EQ(copy.size(), 2U);
}

TEST(Shared, LeavesTheOthersAloneWhenOneIsEdited) {
    const Words one = std::vector<std::string>{"a"};
    Words other = one;
    other.edit().push_back("b");
    EXPECT_EQ(one.size(), 1U);
    EXPECT_EQ(other.size(), 2U);
    EXPECT_FALSE(one == other);
}

TEST(Shared, IsChangedInPlaceWhereNobodyElseHoldsIt) {
    static_assert(sizeof(Words) == sizeof(void*));
    Words one = std::vector<std::string>{"a"};
    const std::string* const place = &one.front();
    one.edit().front() = "b";
    EXPECT_EQ(&one.front(), place);
    {
        // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): this is about copies.
        const Words other = one;
        EXPECT_FALSE(one.is_alone());
    }
    EXPECT_TRUE(one.is_alone());
    EXPECT_EQ(one.front(), "b");
    one = {"x", "y"};
    EXPECT_EQ(one.size(), 2U);
}

TEST(Shared, IsEqualByWhatItHolds) {
    EXPECT_EQ(Words(std::vector<std::string>{"a"}), Words(std::vector<std::string>{"a"}));
    EXPECT_EQ(Words(std::vector<std::string>{}), Words());
    EXPECT_TRUE(Words(std::vector<std::string>{}).is_same(Words()));
}

TEST(Shared, IsWrittenAsWhatItHolds) {
    const std::vector<std::string> plain = {"a", "b"};
    EXPECT_EQ(encode(Words(plain)), encode(plain));
    Words read;
    const std::string bytes = encode(plain);
    Reader reader(bytes);
    reader.read(read);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(*read, plain);
}

}  // namespace
}  // namespace berth
