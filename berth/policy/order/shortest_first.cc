// shortest_first: the job with the shortest expected length comes first (SJF).
//
// The expected length is the prediction if there is one, at most the time limit. It only orders
// jobs; the plan uses the limit. After Smith's rule (1956); ties go by priority.
#include "berth/policy/rule.h"

namespace berth {
namespace {

class ShortestFirst : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs, const View&) const override {
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) all.push_back(expected_length(*job).count());
        return all;
    }
};

}  // namespace

RuleDef<OrderRule> order_shortest_first() {
    return {
        .name = "shortest_first",
        .summary = "The job that is expected to run least comes first.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<ShortestFirst>();
        },
    };
}

}  // namespace berth
