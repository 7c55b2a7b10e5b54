// What contradicts itself in the queues of a cluster: for the reader of berth.yaml, and for edits.
#pragma once

#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"

namespace berth {

// Lists of lenders that overlap have no more unions than this: each is counted by itself.
constexpr std::size_t kLenderUnionsMost = 64;

struct QueueFault {
    std::string queue;     // The queue that should change.
    std::string option;    // Of the queue, as set_queue_option() names it. Empty: no single one.
    bool is_error = true;  // Else it is only odd: there is a meaning.
    std::string text;      // "queue lab: its guarantee of cpu, 5, is above its nominal quota, 4"

    friend bool operator==(const QueueFault&, const QueueFault&) = default;
};

// In the order of the queues; what queues have together comes last.
std::vector<QueueFault> find_queue_faults(const ClusterSpec& spec);

// How much of the TRES all nodes have, or the cluster of a license. nullopt: there is no such TRES.
std::optional<std::int64_t> cluster_capacity(const ClusterSpec& spec, std::string_view tres);

}  // namespace berth
