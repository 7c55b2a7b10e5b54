#include "berth/base/maybe.h"

#include <gtest/gtest.h>

#include "berth/base/codec.h"
#include "berth/base/time.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Maybe, IsUsedLikeAnOptionalAndTakesTheRoomOfItsValue) {
    static_assert(sizeof(Maybe<Time>) == sizeof(Time));
    Maybe<Duration> limit;
    EXPECT_FALSE(limit);
    EXPECT_EQ(limit, std::nullopt);
    EXPECT_EQ(limit.value_or(5s), 5s);
    limit = 2min;
    ASSERT_TRUE(limit);
    EXPECT_EQ(*limit, 120s);
    EXPECT_EQ(limit, 2min);
    EXPECT_EQ(limit.plain(), std::optional<Duration>(2min));
    const std::optional<Duration> plain = limit;
    EXPECT_EQ(plain, 2min);
    EXPECT_EQ(*std::exchange(limit, std::nullopt), 2min);
    EXPECT_EQ(limit, Maybe<Duration>(std::optional<Duration>()));
}

TEST(Maybe, IsWrittenAsAnOptional) {
    for (const std::optional<Time>& plain :
         {std::optional<Time>(), std::optional<Time>(from_seconds(7)), std::optional(kNever)}) {
        const Maybe<Time> held = plain;
        EXPECT_EQ(encode(held), encode(plain));
        EXPECT_TRUE(decode<Maybe<Time>>(encode(plain)).value() == held);
    }
}

TEST(Rare, TakesAPointerAndIsCopiedWhenOneOfThemChangesIt) {
    static_assert(sizeof(Rare<std::string>) == sizeof(void*));
    Rare<std::string> one;
    EXPECT_FALSE(one);
    one = std::string("a");
    Rare<std::string> other = one;
    other->push_back('b');
    EXPECT_EQ(*std::as_const(one), "a");
    EXPECT_EQ(*std::as_const(other), "ab");
    EXPECT_FALSE(one == other);
    other.reset();
    EXPECT_EQ(other, std::nullopt);
    EXPECT_TRUE(one.has_value());
    one.emplace() = "c";
    EXPECT_TRUE(one == std::string("c"));
}

TEST(Rare, IsWrittenAsAnOptional) {
    const std::optional<std::string> none, some("a");
    EXPECT_EQ(encode(Rare<std::string>(none)), encode(none));
    EXPECT_EQ(encode(Rare<std::string>(some)), encode(some));
    EXPECT_TRUE(decode<Rare<std::string>>(encode(some)).value() == Rare<std::string>(some));
    EXPECT_FALSE(decode<Rare<std::string>>(encode(none)).value());
}

}  // namespace
}  // namespace berth
