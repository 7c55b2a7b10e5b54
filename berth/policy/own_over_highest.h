// OwnOverHighest: the priority terms that divide a job's own number by the highest there is, after
// `set_priority_factors` of Slurm's priority/multifactor.
#pragma once

#include <memory>

#include "berth/policy/rule.h"

namespace berth {

struct OwnAndHighest {
    std::int64_t own = 0, highest = 0;
};

// own / highest, and 0 where the highest is 0; plain: the number itself.
template <OwnAndHighest (*numbers_of)(const Job&, const View&)>
class OwnOverHighest final : public PriorityTerm {
public:
    explicit OwnOverHighest(bool plain) : plain_(plain) {}

    Factor value(const Job& job, const View& view) const override {
        const OwnAndHighest numbers = numbers_of(job, view);
        if (plain_) return {numbers.own, 1};
        return numbers.highest > 0 ? Factor{numbers.own, numbers.highest} : Factor{};
    }

private:
    bool plain_;
};

// The term `name`. Its setting `plain` is Slurm's NO_NORMAL_ASSOC, NO_NORMAL_PART, NO_NORMAL_QOS.
template <OwnAndHighest (*numbers_of)(const Job&, const View&)>
RuleDef<PriorityTerm> own_over_highest(std::string_view name, std::string_view summary) {
    return {
        .name = name,
        .summary = summary,
        .settings = {{.name = "plain",
                      .summary = "1: as it is, not divided by the highest",
                      .otherwise = 0,
                      .low = 0,
                      .high = 1}},
        .make = [](const Params& params) -> std::unique_ptr<PriorityTerm> {
            return std::make_unique<OwnOverHighest<numbers_of>>(params.flag("plain"));
        },
    };
}

}  // namespace berth
