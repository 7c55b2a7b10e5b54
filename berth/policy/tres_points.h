// TresPoints: what each weighted TRES of a job adds to its priority, for the priority term and for
// sprio.
#pragma once

#include <string>
#include <vector>

#include "berth/policy/view.h"

namespace berth {

struct TresPoints {
    std::string name;         // "cpu", "gres/gpu"
    std::int64_t weight = 0;  // In millionths.
    std::int64_t micropoints = 0;
};

// The TRES that the site weights and the job asks for. `plain`: by amount, not as a fraction of
// what the partition has. Rounded to the nearest millionth.
std::vector<TresPoints> tres_points(const Job& job, const View& view, bool plain);

}  // namespace berth
