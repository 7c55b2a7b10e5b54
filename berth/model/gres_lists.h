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

// What --gpus-per-socket asked for, of which gpus_per_node has as many as a node's sockets come to.
// Empty: it was not given.
inline std::vector<GresRequest> gpus_of_socket(const JobRequest& request) {
    const std::uint32_t each = request.nearness->layout.gpus_per_socket;
    if (each == 0) return {};
    std::vector<GresRequest> gpus = request.gpus_per_node;
    for (GresRequest& one : gpus) one.count = each;
    return gpus;
}

inline bool names_gpus(const std::vector<GresRequest>& list) {
    return std::ranges::any_of(
        list, [](const GresRequest& one) { return one.name == "gpu" && one.count > 0; });
}

}  // namespace berth
