#include "berth/engine/limits/flavor_choices.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "berth/engine/limits/limit_terms.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/engine/state/job_queries.h"

namespace berth {
namespace {

// What the quotas that bound an account tell apart.
struct ToldApart {
    bool flavors = false;
    std::vector<DimensionSet> types;  // Of each quota by type: its dimensions.

    bool none() const { return !flavors && types.empty(); }
};

ToldApart told_apart_for(const QueueQuotas& queues, QueueQuotas::Index account) {
    ToldApart apart;
    if (account == QueueQuotas::kNone) return apart;
    for (std::size_t i = 0; i < queues.tres().size(); ++i) {
        const TresLimit& tres = queues.tres()[i];
        const bool by_flavor = tres.flavor != FlavorChoice::kNone;
        if (!by_flavor && !tres.of_type) continue;
        if (queues.most_of(account, i) == QueueQuotas::kUnlimited) continue;
        if (by_flavor) apart.flavors = true;
        if (tres.of_type) apart.types.push_back(tres.dimensions);
    }
    return apart;
}

// Those of the nodes that the job may use.
std::vector<std::uint8_t> flavors_among(const FlavorNodes& flavors, const Demand& demand) {
    std::vector<std::uint8_t> found;
    BitSet others;
    for (const BitSet& choice : demand.choices) {
        if (others.size() == 0) others = BitSet(choice.size());
        others |= choice;
    }
    for (std::size_t f = 0; f < flavors.size(); ++f) {
        if (!others.intersects(flavors.nodes_of(f))) continue;
        found.push_back(static_cast<std::uint8_t>(f));
        others -= flavors.nodes_of(f);
    }
    if (!others.empty()) found.push_back(kOtherNodes);
    return found;
}

// The dimensions of the GRES that the job asks for without a type, if quotas tell these apart.
// nullopt: of several.
std::optional<DimensionSet> untyped_in(const ToldApart& apart, const Demand& demand) {
    DimensionSet untyped = 0;
    for (const auto* gres : {&demand.gres_per_node, &demand.gres_per_task, &demand.gres_total}) {
        for (const GresDemand& one : *gres) {
            const bool is_told = std::ranges::any_of(apart.types, [&](DimensionSet type) {
                return (one.dimensions & type) != 0 && (one.dimensions & ~type) != 0;
            });
            if (!is_told || one.dimensions == untyped) continue;
            if (untyped != 0) return std::nullopt;
            untyped = one.dimensions;
        }
    }
    return untyped;
}

bool any_has(const ClusterSpec& spec, const Demand& demand, DimensionId dimension) {
    return std::ranges::any_of(demand.choices, [&](const BitSet& choice) {
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            if (spec.nodes[n].capacity[dimension] > 0) return true;
        }
        return false;
    });
}

}  // namespace

std::vector<FlavorChoice> flavor_choices_of(const ClusterState& state, const Job& job) {
    const QueueQuotas& queues = state.quota().queues();
    if (!queues.tells_apart() || job.het) return {};
    const ToldApart apart = told_apart_for(queues, place_in_quota(state, job).account);
    if (apart.none()) return {};
    Job anywhere = job;
    anywhere.spec.flavor = {};
    const Demand demand = resolved_demand(state, anywhere);
    const auto untyped = untyped_in(apart, demand);
    if (!untyped) return {};
    std::vector<std::uint8_t> flavors;
    if (apart.flavors) flavors = flavors_among(state.quota().queues().flavors(), demand);
    if (flavors.size() < 2) flavors = {FlavorChoice::kNone};
    std::vector<FlavorChoice> choices;
    for (const std::uint8_t flavor : flavors) {
        if (*untyped == 0) {
            choices.push_back({.flavor = flavor});
            continue;
        }
        Demand there = demand;
        keep_to(there, state, {.flavor = flavor});
        for (DimensionSet left = *untyped; left != 0; left &= left - 1) {
            const auto type = static_cast<std::uint8_t>(std::countr_zero(left));
            if (any_has(state.spec(), there, DimensionId(type)))
                choices.push_back({.flavor = flavor, .gres_type = type});
        }
    }
    if (choices.size() == 1 && choices.front().none()) choices.clear();
    return choices;
}

std::vector<WaitingPlace> waiting_places_of(const ClusterState& state, const Job& job) {
    std::vector<WaitingPlace> all;
    for (const PartitionId one : partitions_of(state.spec(), job)) {
        const auto choices = flavor_choices_of(state, moved_to(state.spec(), job, one));
        if (choices.empty()) all.push_back({.partition = one, .flavor = {}});
        for (const FlavorChoice& choice : choices)
            all.push_back({.partition = one, .flavor = choice});
    }
    return all;
}

}  // namespace berth
