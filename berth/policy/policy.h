// Policy: the rules that a site has chosen (rule.h), built from its configuration.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/policy/rule.h"

namespace berth {

template <class Rule>
struct Weighted {
    std::string name;
    std::int64_t weight = 1;
    std::unique_ptr<Rule> rule;
};

// One line of sprio: a term and its contribution, in millionths of a point.
struct PriorityPart {
    std::string_view name;
    std::int64_t micropoints = 0;
};

class Policy;

// Which node is the best for a job: the sum of placement scores.
class PlacementPolicy {
public:
    std::int64_t score(const Candidate& candidate, const View& view) const;
    GpuWeighing weighs_gpus() const;  // The most detailed that one of its rules needs.
    bool tells_nodes_apart() const;   // Whether any of its rules does.

private:
    friend class Policy;
    friend Result<Policy> build_policy(const ClusterSpec& spec);

    std::vector<Weighted<PlacementScore>> scores_;
};

// The default policy: jobs in order of submission (Slurm's priority/basic), on nodes of the lowest
// Weight, the fullest first. Where GPUs are shared, the node and GPU that this fragments the least.
class Policy {
public:
    Policy();

    // The job's priority as Slurm prints it and sorts by: the sum of the terms, truncated, from 1
    // to 2^32 - 1. 0: held. A priority set by hand is returned as it is.
    std::int64_t priority(const Job& job, const View& view) const;
    std::vector<PriorityPart> priority_parts(const Job& job, const View& view) const;
    bool is_fifo() const { return priority_.empty(); }

    const OrderRule* order() const { return order_.get(); }  // nullptr: by priority alone.
    const FairnessRule& fairness() const { return *fairness_; }

    // A term's weight, 0 if it is not among the rules.
    std::int64_t priority_weight(std::string_view term) const;

    const PlacementPolicy& placement() const { return placement_; }
    // For jobs of that partition: its own with LLN=YES.
    const PlacementPolicy& placement(const PartitionSpec& partition) const {
        return partition.least_loaded_nodes ? idle_cpus_ : placement_;
    }

private:
    friend Result<Policy> build_policy(const ClusterSpec& spec);

    std::vector<Weighted<PriorityTerm>> priority_;
    PlacementPolicy placement_, idle_cpus_;
    std::unique_ptr<FairnessRule> fairness_;
    std::unique_ptr<OrderRule> order_;
};

// Builds the policy of scheduling.rules. An error names the rule and lists the known ones.
Result<Policy> build_policy(const ClusterSpec& spec);

// The priority of the first job under FIFO; each later job has one less. As in Slurm.
inline constexpr std::int64_t kFifoTop = 4294901760;
inline constexpr std::int64_t kPriorityMax = 4294967295;

}  // namespace berth
