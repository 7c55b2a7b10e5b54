#include "berth/base/shared_text.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "berth/base/codec.h"

namespace berth {
namespace {

std::string_view seen(std::string_view text) { return text; }
std::string known(const std::string& text) { return text; }

TEST(SharedText, IsReadLikeAString) {
    static_assert(sizeof(SharedText) == sizeof(void*));
    const SharedText name = "train";
    EXPECT_EQ(name, "train");
    EXPECT_EQ(name, std::string("train"));
    EXPECT_EQ(seen(name), "train");
    EXPECT_EQ(known(name), "train");
    EXPECT_EQ("job " + name + "!", "job train!");
    EXPECT_EQ(name.size(), 5U);
    EXPECT_EQ(name.find('a'), 2U);
    std::ostringstream out;
    out << name;
    EXPECT_EQ(out.str(), "train");
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): this is about copies.
    const std::string copy = name;
    EXPECT_EQ(copy, "train");
}

TEST(SharedText, TakesNothingWhileItIsEmpty) {
    SharedText none, empty = std::string(), name = "a";
    EXPECT_TRUE(none.is_same(empty));
    EXPECT_TRUE(none.empty());
    EXPECT_EQ(none, "");
    name.clear();
    EXPECT_TRUE(name.is_same(none));
}

TEST(SharedText, IsTheSameObjectInAllCopiesAndEqualByWhatItSays) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): this is about copies.
    const SharedText one = "a", copy = one, other = "a";
    EXPECT_TRUE(copy.is_same(one));
    EXPECT_FALSE(other.is_same(one));
    EXPECT_TRUE(other == one);
}

TEST(SharedText, IsFoundInASetByAnyString) {
    const std::set<SharedText, std::less<>> names = {"b", "a", "c"};
    EXPECT_EQ(*names.begin(), "a");
    EXPECT_TRUE(names.contains(std::string_view("b")));
    EXPECT_TRUE(names.contains(std::string("c")));
    EXPECT_FALSE(names.contains(SharedText("d")));
}

TEST(SharedText, IsWrittenAsAString) {
    EXPECT_EQ(encode(SharedText("a b")), encode(std::string("a b")));
    EXPECT_EQ(decode<SharedText>(encode(std::string("a b"))).value(), "a b");
}

}  // namespace
}  // namespace berth
