#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, RisesOverTheHorizonBeforeIt) {
    struct Case {
        const char* what;
        std::optional<Time> deadline;
        Duration now;
        std::int64_t points;  // Of 60.
    };
    const Case cases[] = {
        {"none", std::nullopt, 5h, 0},
        {"far", Time(10h), 5h, 0},
        {"an hour before", Time(10h), 9h, 0},
        {"a minute into the horizon", Time(10h), 9h + 1min, 1},
        {"half", Time(10h), 9h + 30min, 30},
        {"now", Time(10h), 10h, 60},
        {"past", Time(10h), 11h, 60},
    };
    const auto rule = testing::make_rule(priority_terms(), "deadline", {{"horizon", 3600}});
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        testing::FixedView view;
        view.at = Time(c.now);
        Job job;
        job.spec.deadline = c.deadline;
        const Factor factor = rule->value(job, view);
        EXPECT_EQ(factor.part == 0 ? 0 : 60 * factor.part / factor.whole, c.points);
    }
}

}  // namespace
}  // namespace berth
