#include "berth/policy/params.h"

#include <gtest/gtest.h>

namespace berth {
namespace {

constexpr SettingDef kKnown[] = {
    {.name = "max_age", .summary = "seconds", .otherwise = 60, .low = 1, .high = 100},
    {.name = "flag", .summary = "0 or 1", .otherwise = 0, .low = 0, .high = 1}};

RuleSpec age_rule(std::vector<std::pair<std::string, std::int64_t>> settings) {
    return {.kind = "priority", .name = "age", .weight = 1, .settings = std::move(settings)};
}

TEST(Params, TakeTheDefaultWhereTheSiteSaysNothing) {
    const auto params = Params::check(age_rule({{"flag", 1}}), kKnown);
    ASSERT_TRUE(params.ok());
    EXPECT_EQ(params->number("max_age"), 60);
    EXPECT_TRUE(params->flag("flag"));
}

TEST(Params, RefuseWhatTheRuleDoesNotKnow) {
    EXPECT_EQ(Params::check(age_rule({{"maxage", 5}}), kKnown).error().message,
              "priority rule age: no setting 'maxage'; it has max_age, flag");
    EXPECT_EQ(Params::check(age_rule({{"x", 5}}), {}).error().message,
              "priority rule age: no setting 'x'; it has none");
    EXPECT_EQ(Params::check(age_rule({{"max_age", 0}}), kKnown).error().message,
              "priority rule age: max_age is 0; it must be from 1 to 100");
    EXPECT_EQ(Params::check(age_rule({{"flag", 1}, {"flag", 0}}), kKnown).error().message,
              "priority rule age: flag is given twice");
}

}  // namespace
}  // namespace berth
