#include "berth/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace berth {
namespace {

Error refused(const char* why) { return {ErrorCode::invalid_argument, why}; }

Result<int> half(int number) {
    if (number % 2 != 0) return refused("odd");
    return number / 2;
}

Result<int> quarter(int number) {
    BERTH_TRY(const int once, half(number));
    BERTH_TRY(const int twice, half(once));
    return twice;
}

Status check_even(int number) {
    BERTH_CHECK(half(number));
    return Done{};
}

TEST(Result, HoldsAValueOrSaysWhyNot) {
    EXPECT_EQ(half(8).value(), 4);
    EXPECT_FALSE(half(7));
    EXPECT_EQ(half(7).error(), refused("odd"));
    EXPECT_EQ(half(7).value_or(-1), -1);
}

TEST(Result, TryTakesTheValueOrPassesTheErrorOn) {
    EXPECT_EQ(*quarter(8), 2);
    EXPECT_EQ(quarter(6).error().message, "odd");
    EXPECT_TRUE(check_even(6).ok());
    EXPECT_EQ(check_even(7).error().code, ErrorCode::invalid_argument);
}

TEST(Result, TryTakesAnExpressionWithCommas) {
    const auto pick = []() -> Result<int> {
        BERTH_TRY(const auto pair, Result<std::pair<int, int>>(std::pair<int, int>{1, 2}));
        return pair.second;
    };
    EXPECT_EQ(*pick(), 2);
}

TEST(Result, MovesWhatCannotBeCopied) {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
    EXPECT_EQ(**made, 5);
    const std::unique_ptr<int> taken = std::move(made).value();
    EXPECT_EQ(*taken, 5);
}

TEST(Result, TakesWhatConvertsToItsValue) {
    const auto nothing = []() -> Result<std::optional<int>> { return std::nullopt; };
    EXPECT_FALSE(nothing()->has_value());
    const auto text = []() -> Result<std::string> { return "words"; };
    EXPECT_EQ(text()->size(), 5U);
}

TEST(Result, MayHoldAnErrorAsItsValueType) {
    const Result<ErrorCode> code = ErrorCode::not_found;
    EXPECT_EQ(*code, ErrorCode::not_found);
}

TEST(ResultDeathTest, AskingForTheValueOfAnErrorIsOurOwnMistake) {
    EXPECT_DEATH(half(7).value(), "ok\\(\\)");
    EXPECT_DEATH(static_cast<void>(half(8).error()), "ok\\(\\)");
}

TEST(Error, SaysWhereAndWhat) {
    EXPECT_EQ(prefixed("slurm.conf:12: ", refused("odd")).message, "slurm.conf:12: odd");
    EXPECT_EQ(to_string(ErrorCode::failed_precondition), "failed_precondition");
}

}  // namespace
}  // namespace berth
