#include "berth/sim/policies.h"

#include <algorithm>
#include <array>
#include <vector>

#include "berth/base/text.h"

namespace berth::sim {
namespace {

void drop(SchedulingSpec& scheduling, std::string_view kind) {
    std::erase_if(scheduling.rules, [&](const RuleSpec& rule) { return rule.kind == kind; });
}

void by_order(SchedulingSpec& scheduling, std::string rule,
              std::vector<std::pair<std::string, std::int64_t>> settings = {}) {
    drop(scheduling, "order");
    scheduling.rules.push_back(
        {.kind = "order", .name = std::move(rule), .weight = 1, .settings = std::move(settings)});
}

void fifo(SchedulingSpec& scheduling) {
    drop(scheduling, "priority");
    drop(scheduling, "order");
}

// The site's own weights, if it has any; otherwise age and fair share with common weights.
void multifactor(SchedulingSpec& scheduling) {
    drop(scheduling, "order");
    const bool weighed = std::ranges::any_of(scheduling.rules, [](const RuleSpec& rule) {
        return rule.kind == "priority" && rule.weight != 0 && rule.name != "site" &&
               rule.name != "nice";
    });
    if (weighed) return;
    drop(scheduling, "priority");
    scheduling.rules.push_back({.kind = "priority", .name = "age", .weight = 1000});
    scheduling.rules.push_back({.kind = "priority", .name = "fair_share", .weight = 10'000});
    scheduling.rules.push_back({.kind = "priority", .name = "size", .weight = 100});
}

template <bool gittins>
void attained(SchedulingSpec& scheduling) {
    by_order(scheduling, "least_attained", {{"gittins", gittins ? 1 : 0}});
}

constexpr auto kPolicies = std::to_array<NamedPolicy>({
    {"own", "the cluster's own, as configured", [](SchedulingSpec&) {}},
    {"fifo", "first in, first out", fifo},
    {"multifactor", "Slurm's priorities: the cluster's weights, else age 1000, fair share 10000",
     multifactor},
    {"sjf", "the shortest expected run first",
     [](SchedulingSpec& spec) { by_order(spec, "shortest_first"); }},
    {"qssf", "the least expected GPU time first (Helios)",
     [](SchedulingSpec& spec) { by_order(spec, "qssf"); }},
    {"las",
     "the least GPU time had so far first (Tiresias); without preemption, first in first out",
     attained<false>},
    {"las12", "the same in twelve queues, each three times as long as the last",
     [](SchedulingSpec& spec) {
         by_order(spec, "least_attained",
                  {{"first", 3250}, {"second", 9750}, {"queues", 12}, {"factor", 3}});
     }},
    {"gittins", "the same, by the Gittins index within a queue", attained<true>},
    {"round_robin", "users take turns",
     [](SchedulingSpec& spec) { by_order(spec, "round_robin"); }},
    {"drf", "dominant resource fairness", [](SchedulingSpec& spec) { by_order(spec, "drf"); }},
    {"hdrf", "the same between accounts, at each level of their tree",
     [](SchedulingSpec& spec) { by_order(spec, "hierarchical_drf"); }},
    {"weighted_fair", "accounts by their shares for each GPU in use, waiting time and priority",
     [](SchedulingSpec& spec) { by_order(spec, "weighted_fair"); }},
});

}  // namespace

std::span<const NamedPolicy> named_policies() { return kPolicies; }

// Planned starts for the first job only (easy), for none, or for as many as the cluster plans
// (conservative).
Status choose_backfill(SchedulingSpec& scheduling, std::string_view how) {
    constexpr std::uint32_t kDeep = 1'000'000;
    if (how == "none") {
        scheduling.backfill = false;
    } else if (how == "easy") {
        scheduling.backfill = true;
        scheduling.plan_depth = 1;
    } else if (how == "conservative") {
        scheduling.backfill = true;
        scheduling.plan_depth = kDeep;
        scheduling.plan_window = std::chrono::hours(24 * 365 * 10);
    } else {
        return Error{ErrorCode::invalid_argument,
                     "'" + std::string(how) + "' should be none, easy or conservative"};
    }
    return Done{};
}

std::pair<std::string_view, std::string_view> split_policy(std::string_view name) {
    const std::size_t colon = name.rfind(':');
    if (colon == std::string_view::npos) return {name, {}};
    for (const std::string_view how : {"none", "easy", "conservative"}) {
        if (name.substr(colon + 1) == how) return {name.substr(0, colon), how};
    }
    return {name, {}};
}

Status choose_policy(SchedulingSpec& scheduling, std::string_view name) {
    const std::size_t colon = name.find(':');
    const std::string_view order = name.substr(0, colon);
    const auto found = std::ranges::find(kPolicies, order, &NamedPolicy::name);
    if (found == kPolicies.end()) {
        std::vector<std::string_view> names;
        names.reserve(kPolicies.size());
        for (const NamedPolicy& one : kPolicies) names.push_back(one.name);
        return Error{ErrorCode::not_found, "there is no policy '" + std::string(order) +
                                               "'; there are " + join(names, ", ")};
    }
    found->apply(scheduling);
    if (colon == std::string_view::npos) return Done{};
    return choose_backfill(scheduling, name.substr(colon + 1));
}

}  // namespace berth::sim
