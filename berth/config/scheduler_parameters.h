// SchedulerParameters of slurm.conf: what each option sets, or why it has no part to play here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "berth/config/draft.h"

namespace berth::config {

struct SchedulerParameter {
    std::string_view name;
    // nullptr: it is not acted upon, because …
    void (*set)(SchedulingSpec& spec, std::int64_t value) = nullptr;
    std::string_view why;             // … of this; empty: not yet.
    std::int64_t low = 0, high = -1;  // Of its value; high below low: it is a word alone.
};

std::span<const SchedulerParameter> scheduler_parameters();
const SchedulerParameter* find_scheduler_parameter(std::string_view name);  // In any case.

void read_scheduler_parameters(Draft& draft, const Line& line);

}  // namespace berth::config
