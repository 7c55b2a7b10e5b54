#include <gtest/gtest.h>

#include "berth/policy/catalog.h"
#include "berth/testing/fixed_view.h"

namespace berth {
namespace {

using namespace std::chrono_literals;

TEST(ExpansionFactor, RisesWithTheWaitInProportionToTheLimit) {
    struct Case {
        const char* what;
        Duration limit, waited;
        std::int64_t points;  // Of 100.
    };
    const Case cases[] = {
        {"new", 1h, 0min, 0},
        {"half of the most", 1h, 60min, 50},
        {"a shorter one, the same wait", 30min, 60min, 100},
        {"a longer one, the same wait", 10h, 60min, 5},
        {"beyond the most", 1h, 5h, 100},
        {"no limit", Duration::max(), 1000h, 0},
    };
    const auto rule = testing::make_rule(priority_terms(), "xfactor", {{"most", 2}});
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        testing::FixedView view;
        view.at = Time(10h) + c.waited;
        Job job;
        job.time_limit = c.limit;
        job.eligible_at = Time(10h);
        const Factor factor = rule->value(job, view);
        EXPECT_EQ(factor.part == 0 ? 0 : 100 * factor.part / factor.whole, c.points);
    }
    EXPECT_EQ(rule->value(Job{}, testing::FixedView{}).part, 0) << "not eligible yet";
}

}  // namespace
}  // namespace berth
