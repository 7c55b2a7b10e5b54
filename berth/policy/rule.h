// Rules: the interface of each kind of rule, and how a rule registers itself. Each rule is one
// file, policy/<kind>/<name>.cc.
//
// Rules are pure: a result depends on the arguments alone. They keep no state between calls, read
// no clock and draw no random number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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
    // By node of the tree.
    virtual std::vector<ShareStanding> standings(const ShareTree& tree) const = 0;
    virtual bool has_levels() const = 0;  // Whether LevelFS is defined.
};

// In which order are jobs tried? Each job gets a rank; lower comes earlier. Priority decides
// between equal ranks.
class OrderRule {
public:
    virtual ~OrderRule() = default;
    // Ranks of pending jobs, given in order of submission.
    virtual std::vector<std::int64_t> ranks(std::span<const Job* const> jobs,
                                            const View& view) const = 0;
    virtual bool reads_usage() const { return false; }  // View::account_usage().
};

// A node on which a job would fit, and what would be left of it.
struct Candidate {
    NodeId node{0};
    const Resources& take;  // What the job would take there.
    const Resources& left;  // What would then be free.
    // Where GPUs are shared: all GPUs of the node before placement, which of them the job would get
    // (`chosen`), and how much of each (`milli`).
    std::span<const GpuLeft> gpus = {};
    DeviceMask chosen = 0;  // Over `gpus`.
    std::int32_t milli = kWholeGpu;
    JobId job{0};
};

// Which of a node's GPUs a job should share. tightest: the one with the least left that suffices.
// by_what_is_left: the best score among GPUs with different amounts left. each: the best score of
// all GPUs.
enum class GpuWeighing : std::uint8_t { tightest, by_what_is_left, each };

// How good is this node for this job? Only asked for nodes on which the job fits. The highest
// weighted sum wins; ties go to the lower node id.
class PlacementScore {
public:
    virtual ~PlacementScore() = default;
    virtual Ppm value(const Candidate& candidate, const View& view) const = 0;
    virtual GpuWeighing weighs_gpus() const { return GpuWeighing::tightest; }
    // Whether nodes with the same hardware and the same free resources may differ in value.
    virtual bool tells_nodes_apart() const { return false; }
};

// How a rule registers itself: `name` is its name in configurations, `summary` is what `berth
// policy list` prints.
template <class Rule>
struct RuleDef {
    std::string_view name;
    std::string_view summary;
    std::vector<SettingDef> settings;
    std::unique_ptr<Rule> (*make)(const Params& params);
};

}  // namespace berth
