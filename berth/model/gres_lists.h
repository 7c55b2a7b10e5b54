// The lists in which a request names generic resources: --gres, --gpus, --gpus-per-node and
// --gpus-per-task. A new way to ask is added here once.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "berth/model/job.h"

namespace berth {

template <class Request>  // JobRequest, const or not.
auto gres_lists(Request& request) {
    return std::array{&request.gres_per_node, &request.gpus, &request.gpus_per_node,
                      &request.gpus_per_task};
}

inline bool names_gpus(const std::vector<GresRequest>& list) {
    return std::ranges::any_of(
        list, [](const GresRequest& one) { return one.name == "gpu" && one.count > 0; });
}

}  // namespace berth
