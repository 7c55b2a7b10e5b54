#include "berth/policy/view.h"

#include <algorithm>

namespace berth {

ClusterTotals totals_of(const ClusterSpec& spec) {
    ClusterTotals totals;
    for (const DimensionId type : spec.dimensions.of_name("gpu")) {
        totals.gpu_types |= dimension_bit(type);
    }
    for (const NodeSpec& node : spec.nodes) {
        if (node.gone) continue;
        ++totals.nodes;
        totals.cpus += node.cpus();
        totals.capacity += node.capacity;
        totals.largest_cpu = max(totals.largest_cpu, node.capacity.cpu());
        std::int64_t gpus = 0;
        for (const Device& device : node.devices) {
            gpus += (totals.gpu_types & dimension_bit(device.dimension)) != 0 ? 1 : 0;
        }
        totals.largest_gpus = std::max(totals.largest_gpus, gpus);
    }
    for (const PartitionSpec& partition : spec.partitions) {
        if (partition.gone) continue;
        totals.partition_factor_max =
            std::max(totals.partition_factor_max, partition.priority_job_factor);
    }
    for (const QosSpec& qos : spec.qos) {
        if (qos.gone) continue;
        totals.qos_priority_max = std::max(totals.qos_priority_max, qos.priority);
    }
    return totals;
}

std::vector<TresCounts> partition_totals_of(const ClusterSpec& spec) {
    std::vector<TresCounts> totals;
    for (const PartitionSpec& partition : spec.partitions) {
        TresCounts& there = totals.emplace_back();
        for (const NodeId node : partition.nodes) {
            ++there.nodes;
            there.amount += spec.node(node).capacity;
        }
    }
    return totals;
}

Duration expected_length(const Job& job) {
    return std::min(job.predicted.value_or(Duration::max()), job.time_limit);
}

std::int64_t gpus_of(const Dimensions& dimensions, const TresCounts& counts) {
    std::int64_t gpus = 0;
    for (const DimensionId d : dimensions.of_name("gpu")) gpus += counts.amount[d];
    return gpus > 0 ? gpus : counts.amount.cpu().count() / 1000;
}

}  // namespace berth
