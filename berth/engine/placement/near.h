// Near: what a job asks of the places of its nodes, and of its tasks within a node.
#pragma once

#include <cstdint>

#include "berth/base/time.h"
#include "berth/model/resources.h"
#include "berth/model/step.h"

namespace berth {

struct Near {
    // Maximum number of leaf switches or blocks; 0: as few as possible.
    std::uint32_t switches = 0;
    std::uint32_t segment = 0;  // Nodes in each come in multiples of this number; 0: any number.
    bool contiguous = false;    // Consecutive node numbers.
    bool spread = false;        // Prefer nodes far apart, as many as possible.
    std::uint32_t threads_per_core = 0;  // The most that tasks use of each core; 0: all it has.
    bool turns = false;    // Others may share its cores, and then it ends later: see turns.h.
    Duration over_time{};  // How much longer than its limit the job may run: OverTimeLimit.
    TaskLayout layout;
    // With layout.gpus_per_socket: of so many sockets of each node, near GPUs of one of these
    // types.
    std::uint32_t sockets = 0;
    DimensionSet socket_gpus = 0;
    // Amounts do not tell how many cores of each socket are free. So they contain a number of cores
    // that has room for the tasks in any case (enough_cores()), and with `sockets` all cores of a
    // node and enough_socket_gpus(). on_sockets.h examines the sockets for an immediate start.
    bool any_cores = false;
    friend bool operator==(const Near&, const Near&) = default;
};

}  // namespace berth
