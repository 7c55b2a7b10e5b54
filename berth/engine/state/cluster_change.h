// ClusterChange: what edits of partitions and nodes change for jobs, found by comparing the
// configuration before and after.
#pragma once

#include <vector>

#include "berth/model/cluster_edits.h"
#include "berth/model/cluster_spec.h"

namespace berth {

struct ClusterChange {
    std::vector<PartitionId> partitions;   // Whose jobs have other terms or other nodes. In order.
    std::vector<PartitionId> of_features;  // Of whose nodes some have other features. In order.
    bool qos = false;                      // Some partition has another QOS.
    bool over_time = false;                // Some partition has another OverTimeLimit.
    bool cpus = false;   // Some partition has another MaxCPUsPerNode: nodes have other amounts.
    bool nodes = false;  // Some node has another weight, other features or other partitions.

    bool none() const { return partitions.empty() && !nodes; }
};

// What the edits may change of a configuration, as it is before them.
class BeforeEdits {
public:
    BeforeEdits(const ClusterSpec& spec, const ClusterEdits& edits);

    ClusterChange change_to(const ClusterSpec& after) const;

private:
    struct Looks {
        NodeId node{0};
        std::uint32_t weight = 0;
        std::vector<std::string> features;
    };
    std::vector<PartitionSpec> partitions_;
    std::vector<Looks> nodes_;  // Of the nodes that the edits name.
};

}  // namespace berth
