// TresPoints: what each weighted TRES of a job adds to its priority, for the term and for sprio.
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

// Those that the site gives a weight and the job asks for. `plain`: by amount, not by its part of
// what the partition has. Rounded to the nearest millionth.
std::vector<TresPoints> tres_points(const Job& job, const View& view, bool plain);

}  // namespace berth
