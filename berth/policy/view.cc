#include "berth/policy/view.h"

#include <algorithm>

namespace berth {

ClusterTotals totals_of(const ClusterSpec& spec) {
    ClusterTotals totals;
    totals.nodes = static_cast<std::int64_t>(spec.nodes.size());
    for (const NodeSpec& node : spec.nodes) {
        totals.cpus += node.cpus();
        totals.capacity += node.capacity;
    }
    for (const PartitionSpec& partition : spec.partitions) {
        totals.partition_factor_max =
            std::max(totals.partition_factor_max, partition.priority_job_factor);
    }
    for (const QosSpec& qos : spec.qos) {
        totals.qos_priority_max = std::max(totals.qos_priority_max, qos.priority);
    }
    return totals;
}

}  // namespace berth
