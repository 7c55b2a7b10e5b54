// round_robin: users take turns, whatever their jobs ask for.
//
// A job's rank is the number of its user's jobs that run or precede it in the queue.
#include <map>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class RoundRobin : public OrderRule {
public:
    std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                    const View& view) const override {
        std::map<std::uint32_t, std::int64_t> turns;  // By uid.
        for (const Job* job : view.running()) ++turns[job->owner->uid];
        std::vector<std::int64_t> all;
        for (const Job* job : jobs) all.push_back(turns[job->owner->uid]++);
        return all;
    }
};

}  // namespace

RuleDef<OrderRule> order_round_robin() {
    return {
        .name = "round_robin",
        .summary = "Users take turns.",
        .settings = {},
        .make = [](const Params&) -> std::unique_ptr<OrderRule> {
            return std::make_unique<RoundRobin>();
        },
    };
}

}  // namespace berth
