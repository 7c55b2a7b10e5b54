// Policy: the rules that a site has chosen (rule.h), made from its configuration.
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

// One line of sprio: a term and what it comes to, in millionths of a point.
struct PriorityPart {
    std::string_view name;
    std::int64_t micropoints = 0;
};

// What a policy is without configuration: jobs in the order they came (Slurm's priority/basic), on
// the node with the lowest Weight, the fullest first; where GPUs are given out in parts, those
// that this fragments the least.
class Policy {
public:
    Policy();

    // The job's priority as Slurm prints it and sorts by: the sum of the terms without its
    // fraction, from 1 to 2^32 - 1. 0: held. One set by hand stands as it is.
    std::int64_t priority(const Job& job, const View& view) const;
    std::vector<PriorityPart> priority_parts(const Job& job, const View& view) const;
    bool is_fifo() const { return priority_.empty(); }

    const OrderRule* order() const { return order_.get(); }  // nullptr: by priority alone.
    const FairnessRule& fairness() const { return *fairness_; }

    // A term's weight, 0 if it is not among the rules.
    std::int64_t priority_weight(std::string_view term) const;

    std::int64_t placement_score(const Candidate& candidate, const View& view) const;
    GpuWeighing weighs_gpus() const;  // The most that one of its rules wants.
    bool tells_nodes_apart() const;   // One of its rules does.

private:
    friend Result<Policy> build_policy(const ClusterSpec& spec);

    std::vector<Weighted<PriorityTerm>> priority_;
    std::vector<Weighted<PlacementScore>> placement_;
    std::unique_ptr<FairnessRule> fairness_;
    std::unique_ptr<OrderRule> order_;
};

// The policy that scheduling.rules describes. An error names the rule and says what there is.
Result<Policy> build_policy(const ClusterSpec& spec);

// The priority of the first job under FIFO; each later one has one less. As in Slurm.
inline constexpr std::int64_t kFifoTop = 4294901760;
inline constexpr std::int64_t kPriorityMax = 4294967295;

}  // namespace berth
