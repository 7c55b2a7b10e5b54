// Policy: the rules that a site has chosen, made from its configuration. Each rule is one file,
// policy/<kind>/<name>.cc.
//
// Rules are pure: what they return depends on their arguments alone. They keep no state between
// calls, read no clock and draw no random number.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/policy/factor.h"
#include "berth/policy/params.h"
#include "berth/policy/share_tree.h"
#include "berth/policy/view.h"

namespace berth {

// How urgent is this pending job? Most terms are within [0, 1]; their weighted sum orders the
// queue.
class PriorityTerm {
public:
    virtual ~PriorityTerm() = default;
    virtual Factor value(const Job& job, const View& view) const = 0;
};

// How far is each account and user from its share?
class FairnessRule {
public:
    virtual ~FairnessRule() = default;
    virtual std::vector<ShareStanding> standings(const ShareTree& tree) const = 0;  // By node.
    virtual bool has_levels() const = 0;  // LevelFS means something.
};

// In which order are jobs looked at? Each gets a rank: the lower the earlier. Where ranks are
// equal, priority decides.
class OrderRule {
public:
    virtual ~OrderRule() = default;
    // Of jobs that wait, the earlier submitted first.
    virtual std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                            const View& view) const = 0;
};

// A node on which a job would fit, and what would be left of it.
struct Candidate {
    NodeId node{0};
    const Resources& take;  // What the job would take there.
    const Resources& left;  // What would then be free.
    // Where GPUs are shared: all of the node's, as they are before; which of them the job would
    // get, and how much of each.
    std::span<const GpuLeft> gpus = {};
    DeviceMask chosen = 0;  // Over `gpus`.
    std::int32_t milli = kWholeGpu;
    JobId job{0};
};

// The node's GPUs one by one, before and after, as well as that is known: where it is not, all that
// are free are whole.
class GpusOf {
public:
    GpusOf(const Candidate& candidate, const View& view);

    std::span<const GpuLeft> before() const { return {before_.data(), size_}; }
    std::span<const GpuLeft> after() const { return {after_.data(), size_}; }
    std::int64_t milli_before() const;
    std::int64_t milli_after() const;
    std::int64_t milli_taken() const { return milli_before() - milli_after(); }
    std::int32_t taken() const { return taken_; }  // How many GPUs the job gets something of.

private:
    std::array<GpuLeft, kDevicesPerNodeMax> before_, after_;
    std::size_t size_ = 0;
    std::int32_t taken_ = 0;
};

// Between 0 and 1 in so many even steps, rounded down; 0 steps: as it is.
Ppm in_steps(Ppm value, std::int64_t steps);
inline constexpr std::int64_t kStepsMax = 1'000'000;

// Which of a node's GPUs a job is to share: the one with the least left that suffices; the best of
// those that have different amounts left; or each is asked about.
enum class GpuWeighing : std::uint8_t { tightest, by_what_is_left, each };

// How good is this node for this job? Only asked of nodes where it fits. The highest weighted sum
// is taken; ties go to the lower node id.
class PlacementScore {
public:
    virtual ~PlacementScore() = default;
    virtual Ppm value(const Candidate& candidate, const View& view) const = 0;
    virtual GpuWeighing weighs_gpus() const { return GpuWeighing::tightest; }
    // Whether nodes that have the same hardware, and the same of it free, may differ in value.
    virtual bool tells_nodes_apart() const { return false; }
};

// How a rule introduces itself: `name` is what a configuration calls it, `summary` what
// `berth policy list` prints.
template <class Rule>
struct RuleDef {
    std::string_view name;
    std::string_view summary;
    std::vector<SettingDef> settings;
    std::unique_ptr<Rule> (*make)(const Params& params);
};

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
