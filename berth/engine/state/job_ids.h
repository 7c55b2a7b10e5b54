// Sorts a list of jobs by id and removes duplicates. Most lists are sorted already.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "berth/model/ids.h"

namespace berth {

inline void put_in_order(std::vector<JobId>& ids) {
    if (std::ranges::adjacent_find(ids, std::greater_equal{}) == ids.end()) return;
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace berth
