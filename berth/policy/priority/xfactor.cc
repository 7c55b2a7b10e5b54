// xfactor: a job gains priority as its wait grows in proportion to its time limit, so that short
// jobs do not wait for long. Maui and Moab know it as the expansion factor.
//
// min(1, (now - eligible) / (limit * most)): the full value once the job has waited `most` times
// its limit. Jobs without a time limit gain nothing.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class ExpansionFactor : public PriorityTerm {
public:
    explicit ExpansionFactor(std::int64_t most) : most_(most) {}

    Factor value(const Job& job, const View& view) const override {
        const std::int64_t limit = job.time_limit.count();
        if (!job.eligible_at || limit <= 0 || limit > INT64_MAX / most_) return {};
        const std::int64_t waited = (view.now() - *job.eligible_at).count();
        const std::int64_t whole = limit * most_;
        return {std::clamp<std::int64_t>(waited, 0, whole), whole};
    }

private:
    std::int64_t most_;
};

}  // namespace

RuleDef<PriorityTerm> priority_xfactor() {
    return {
        .name = "xfactor",
        .summary = "Rises with the time waited in proportion to the time limit.",
        .settings = {{.name = "most",
                      .summary = "how many times its limit a job waits until it has the full value",
                      .otherwise = 10,
                      .low = 1,
                      .high = 1000}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<ExpansionFactor>(params.number("most"));
        },
    };
}

}  // namespace berth
