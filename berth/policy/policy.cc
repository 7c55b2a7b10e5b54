#include "berth/policy/policy.h"

#include <algorithm>
#include <limits>

#include "berth/base/text.h"
#include "berth/model/micro.h"
#include "berth/policy/catalog.h"

namespace berth {
namespace {

constexpr std::int64_t kRuleWeightMax = kPriorityMax;  // Slurm's weights are 32 bits wide.

// weight × factor in millionths of a point, rounded down, and capped so that sixteen of them cannot
// overflow.
std::int64_t micropoints(std::int64_t weight, Factor factor) {
    constexpr Wide kMost = std::numeric_limits<std::int64_t>::max() / 16;
    const Wide product = Wide{weight} * kMicro * factor.part;
    Wide points = product / factor.whole;
    if (product < 0 && product % factor.whole != 0) --points;
    return static_cast<std::int64_t>(std::clamp(points, -kMost, kMost));
}

template <class Rule>
Error unknown_rule(const RuleSpec& spec, std::span<const RuleDef<Rule>> known) {
    std::vector<std::string_view> names;
    for (const RuleDef<Rule>& def : known) names.push_back(def.name);
    return {ErrorCode::invalid_argument,
            "no " + spec.kind + " rule '" + spec.name + "'; there are " + join(names, ", ")};
}

template <class Rule>
Status add_rule(const RuleSpec& spec, std::span<const RuleDef<Rule>> known,
                std::vector<Weighted<Rule>>& rules) {
    const auto def = std::ranges::find(known, spec.name, &RuleDef<Rule>::name);
    if (def == known.end()) return unknown_rule(spec, known);
    if (std::ranges::find(rules, spec.name, &Weighted<Rule>::name) != rules.end()) {
        return Error{ErrorCode::already_exists,
                     spec.kind + " rule " + spec.name + " is given twice"};
    }
    if (spec.weight < -kRuleWeightMax || spec.weight > kRuleWeightMax) {
        return Error{ErrorCode::invalid_argument,
                     spec.kind + " rule " + spec.name + ": its weight is " +
                         std::to_string(spec.weight) + "; it must be within ±" +
                         std::to_string(kRuleWeightMax)};
    }
    BERTH_TRY(const Params params, Params::check(spec, def->settings));
    rules.push_back({spec.name, spec.weight, def->make(params)});
    return Done{};
}

template <class Rule>
Weighted<Rule> standard(std::span<const RuleDef<Rule>> known, std::string_view name,
                        std::int64_t weight) {
    const auto def = std::ranges::find(known, name, &RuleDef<Rule>::name);
    BERTH_ASSERT(def != known.end());
    const RuleSpec plain{.kind = {}, .name = std::string(name), .weight = weight, .settings = {}};
    return {std::string(name), weight, def->make(Params::check(plain, def->settings).value())};
}

template <class Rule>
Status at_most_one(const std::string& kind, const std::vector<Weighted<Rule>>& rules) {
    if (rules.size() <= 1) return Done{};
    return Error{ErrorCode::invalid_argument, "there can be one rule of " + kind + ", not " +
                                                  rules[0].name + " and " + rules[1].name};
}

bool shares_gpus(const ClusterSpec& spec) {
    return std::ranges::any_of(spec.nodes, [](const NodeSpec& node) {
        return std::ranges::any_of(node.devices,
                                   [](const Device& device) { return !device.shares.empty(); });
    });
}

std::int64_t fifo(const Job& job) { return kFifoTop - job.id.value() - job.spec.nice; }

}  // namespace

Policy::Policy() {
    // One step of Weight outweighs all packing.
    for (PlacementPolicy* const one : {&placement_, &idle_cpus_})
        one->scores_.push_back(standard(placement_scores(), "weight", 1000));
    placement_.scores_.push_back(standard(placement_scores(), "pack", 1));
    idle_cpus_.scores_.push_back(standard(placement_scores(), "idle_cpus", 1));
    fairness_ = standard(fairness_rules(), "fair_tree", 1).rule;
}

std::vector<PriorityPart> Policy::priority_parts(const Job& job, const View& view) const {
    std::vector<PriorityPart> parts;
    parts.reserve(priority_.size());
    for (const Weighted<PriorityTerm>& term : priority_) {
        parts.push_back({term.name, micropoints(term.weight, term.rule->value(job, view))});
    }
    return parts;
}

std::int64_t Policy::priority(const Job& job, const View& view) const {
    if (job.hold != Hold::none) return 0;
    if (job.spec.priority) return *job.spec.priority;
    if (is_fifo()) return std::clamp<std::int64_t>(fifo(job), 1, kPriorityMax);
    std::int64_t sum = 0;
    for (const Weighted<PriorityTerm>& term : priority_) {
        if (term.weight == 0) continue;
        sum += micropoints(term.weight, term.rule->value(job, view));
    }
    return std::clamp<std::int64_t>(sum / kMicro, 1, kPriorityMax);
}

std::int64_t Policy::priority_weight(std::string_view term) const {
    const auto found = std::ranges::find(priority_, term, &Weighted<PriorityTerm>::name);
    return found == priority_.end() ? 0 : found->weight;
}

std::int64_t PlacementPolicy::score(const Candidate& candidate, const View& view) const {
    std::int64_t sum = 0;
    for (const Weighted<PlacementScore>& score : scores_) {
        sum += micropoints(score.weight, {score.rule->value(candidate, view).count(), kMicro});
    }
    return sum;
}

GpuWeighing PlacementPolicy::weighs_gpus() const {
    GpuWeighing most = GpuWeighing::tightest;
    for (const auto& one : scores_) most = std::max(most, one.rule->weighs_gpus());
    return most;
}

bool PlacementPolicy::tells_nodes_apart() const {
    return std::ranges::any_of(scores_,
                               [](const auto& one) { return one.rule->tells_nodes_apart(); });
}

Result<Policy> build_policy(const ClusterSpec& spec) {
    Policy policy;
    std::vector<Weighted<PlacementScore>> placement;
    std::vector<Weighted<FairnessRule>> fairness;
    std::vector<Weighted<OrderRule>> order;
    for (const RuleSpec& rule : spec.scheduling.rules) {
        if (rule.kind == "priority") {
            BERTH_CHECK(add_rule(rule, priority_terms(), policy.priority_));
        } else if (rule.kind == "placement") {
            BERTH_CHECK(add_rule(rule, placement_scores(), placement));
        } else if (rule.kind == "fairness") {
            BERTH_CHECK(add_rule(rule, fairness_rules(), fairness));
        } else if (rule.kind == "order") {
            BERTH_CHECK(add_rule(rule, order_rules(), order));
        } else {
            return Error{ErrorCode::invalid_argument,
                         "no kind of rule is called '" + rule.kind +
                             "'; there are priority, order, fairness and placement"};
        }
    }
    if (!placement.empty()) {
        policy.placement_.scores_ = std::move(placement);
    } else if (shares_gpus(spec)) {
        policy.placement_.scores_.back() = standard(placement_scores(), "fragmentation", 1);
    }
    BERTH_CHECK(at_most_one("fairness", fairness));
    BERTH_CHECK(at_most_one("order", order));
    if (!order.empty()) policy.order_ = std::move(order.front().rule);
    if (!fairness.empty()) policy.fairness_ = std::move(fairness.front().rule);
    // --nice counts under any policy, without configuration.
    if (!policy.is_fifo() &&
        std::ranges::find(policy.priority_, "nice", &Weighted<PriorityTerm>::name) ==
            policy.priority_.end()) {
        policy.priority_.push_back(standard(priority_terms(), "nice", 1));
    }
    return policy;
}

}  // namespace berth
