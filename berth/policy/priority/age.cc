// age: a job gains priority as it waits, so that no job waits forever.
//
// min(1, (now - eligible) / max_age), after `set_priority_factors` of Slurm's priority/multifactor.
// `eligible` is when begin time, hold and dependencies were satisfied; with ACCRUE_ALWAYS, the
// submission.
#include <algorithm>

#include "berth/policy/rule.h"

namespace berth {
namespace {

class Age : public PriorityTerm {
public:
    Age(Duration max_age, bool from_submission)
        : max_age_(max_age), from_submission_(from_submission) {}

    Factor value(const Job& job, const View& view) const override {
        if (!job.eligible_at && !from_submission_) return {};
        const Duration waited =
            view.now() - (from_submission_ ? job.submitted_at : *job.eligible_at);
        return {std::clamp<std::int64_t>(waited.count(), 0, max_age_.count()), max_age_.count()};
    }

private:
    Duration max_age_;
    bool from_submission_;
};

}  // namespace

RuleDef<PriorityTerm> priority_age() {
    return {
        .name = "age",
        .summary = "Rises with the time waited, up to max_age.",
        .settings = {{.name = "max_age",
                      .summary = "seconds after which a job has the full value",
                      .otherwise = std::int64_t{7} * 24 * 3600,
                      .low = 1,
                      .high = std::int64_t{100} * 365 * 24 * 3600},
                     {.name = "from_submission",
                      .summary = "1: what a job waits before it may start counts, too",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<Age>(std::chrono::seconds(params.number("max_age")),
                                         params.flag("from_submission"));
        },
    };
}

}  // namespace berth
