#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Age, RisesFromEligibilityToMaxAgeAndNoFurther) {
    struct Case {
        const char* what;
        std::optional<Time> eligible;
        Duration now;
        std::int64_t points;  // Of 1440.
    };
    const Case cases[] = {
        {"not eligible yet", std::nullopt, 5h, 0},
        {"just eligible", Time(1h), 1h, 0},
        {"a minute", Time(1h), 1h + 1min, 1},
        {"half a day", Time(1h), 13h, 720},
        {"a day", Time(1h), 25h, 1440},
        {"a week", Time(1h), 24h * 7, 1440},
        {"a clock that went back", Time(1h), 0h, 0},
    };
    const auto rule = testing::make_rule(priority_terms(), "age", {{"max_age", 86400}});
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        testing::FixedView view;
        view.at = Time(c.now);
        Job job;
        job.eligible_at = c.eligible;
        const Factor age = rule->value(job, view);
        EXPECT_EQ(1440 * age.part / age.whole, c.points);
    }
}

TEST(Age, MayCountFromTheSubmission) {
    const auto rule =
        testing::make_rule(priority_terms(), "age", {{"max_age", 86400}, {"from_submission", 1}});
    testing::FixedView view;
    view.at = Time(13h);
    Job job;
    job.submitted_at = Time(1h);  // Not eligible yet: ACCRUE_ALWAYS counts the time anyway.
    const Factor age = rule->value(job, view);
    EXPECT_EQ(1440 * age.part / age.whole, 720);
}

}  // namespace
}  // namespace berth
