// deadline: a job gains priority as its --deadline comes near, so that it is not missed for want of
// a turn.
//
// clamp((horizon - (deadline - now)) / horizon, 0, 1): nothing until `horizon` before the deadline,
// and all of the weight from the deadline on. Jobs without a deadline gain nothing.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class Deadline : public PriorityTerm {
public:
    explicit Deadline(Duration horizon) : horizon_(horizon) {}

    Factor value(const Job& job, const View& view) const override {
        if (!job.spec.deadline) return {};
        const std::int64_t left = (*job.spec.deadline - view.now()).count();
        const std::int64_t whole = horizon_.count();
        return {std::clamp<std::int64_t>(whole - left, 0, whole), whole};
    }

private:
    Duration horizon_;
};

}  // namespace

RuleDef<PriorityTerm> priority_deadline() {
    return {
        .name = "deadline",
        .summary = "Rises as the job's --deadline comes near.",
        .settings = {{.name = "horizon",
                      .summary = "seconds before the deadline from which on it rises",
                      .otherwise = std::int64_t{24} * 3600,
                      .low = 1,
                      .high = std::int64_t{365} * 24 * 3600}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Deadline>(std::chrono::seconds(params.number("horizon")));
        },
    };
}

}  // namespace berth
