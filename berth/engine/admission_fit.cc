// Admission: could the partition serve the job if all of it were empty? And if not, what of it is
// too much.
#include "berth/base/size_text.h"

#include <algorithm>
#include <numeric>

#include "berth/engine/admission_checks.h"
#include "berth/engine/demand.h"

namespace berth {
namespace {

Refusing unavailable(Refusal why, std::string message, std::vector<std::string> details = {}) {
    return {.why = why, .message = std::move(message), .details = std::move(details)};
}

// The most of one of these kinds that a node has, where one request takes them from one kind or
// from several.
std::int64_t has(const NodeSpec& node, DimensionSet dimensions) {
    std::int64_t count = 0;
    for_each_bit(dimensions, [&](int d) {
        count += node.capacity[DimensionId(static_cast<std::uint32_t>(d))];
    });
    return count;
}

// The fewest tasks that its fullest node has.
std::uint32_t tasks_somewhere(const Demand& demand) {
    if (!demand.tasks) return demand.tasks_per_node;
    return (*demand.tasks + demand.nodes_max - 1) / demand.nodes_max;
}

template <class Visit>
void each_candidate(const ClusterSpec& spec, const Demand& demand, Visit visit) {
    for (const BitSet& choice : demand.choices) {
        for (std::size_t n = choice.find_first(); n != BitSet::kNone; n = choice.find_next(n)) {
            visit(spec.nodes[n]);
        }
    }
}

Objection check_cpus(const ClusterSpec& spec, const Demand& demand, std::uint32_t tasks) {
    const std::uint64_t asked = std::uint64_t{tasks} * demand.cpus_per_task;
    std::uint32_t most = 0;
    each_candidate(spec, demand, [&](const NodeSpec& node) { most = std::max(most, node.cpus()); });
    if (asked <= most) return std::nullopt;
    return unavailable(
        Refusal::cpus_unavailable,
        std::to_string(asked) + " CPUs on one node; the largest has " + std::to_string(most),
        {"CPU count per node can not be satisfied"});
}

Objection check_memory(const ClusterSpec& spec, const Demand& demand, std::uint32_t tasks) {
    Bytes most, asked = Bytes(INT64_MAX);
    bool fits_one = false;
    each_candidate(spec, demand, [&](const NodeSpec& node) {
        const Bytes need = need_on(demand, node, tasks).memory;
        fits_one = fits_one || need <= node.capacity.memory();
        most = max(most, node.capacity.memory());
        asked = min(asked, need);
    });
    if (fits_one) return std::nullopt;
    return unavailable(
        Refusal::memory_unavailable,
        format_size(asked) + " of memory on one node; the largest has " + format_size(most),
        {"Memory specification can not be satisfied"});
}

Objection check_gres_on_node(const ClusterSpec& spec, const Demand& demand,
                             const std::vector<GresDemand>& wanted, std::uint32_t times) {
    for (const GresDemand& gres : wanted) {
        std::int64_t most = 0;
        each_candidate(spec, demand, [&](const NodeSpec& node) {
            most = std::max(most, has(node, gres.dimensions));
        });
        if (gres.count * times <= most) continue;
        return unavailable(Refusal::node_configuration_unavailable,
                           std::to_string(gres.count * times) +
                               " GRES of one kind on one node; no node of the partition has more "
                               "than " +
                               std::to_string(most));
    }
    return std::nullopt;
}

Objection check_gres_in_all(const ClusterSpec& spec, const Demand& demand) {
    for (const GresDemand& gres : demand.gres_total) {
        std::vector<std::int64_t> counts;
        each_candidate(spec, demand,
                       [&](const NodeSpec& node) { counts.push_back(has(node, gres.dimensions)); });
        std::sort(counts.rbegin(), counts.rend());
        if (counts.size() > demand.nodes_max) counts.resize(demand.nodes_max);
        const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        if (gres.count <= all) continue;
        return unavailable(Refusal::node_configuration_unavailable,
                           std::to_string(gres.count) +
                               " GRES of one kind in all; as many nodes as it may have come to " +
                               std::to_string(all));
    }
    return std::nullopt;
}

Objection check_required(const ClusterSpec& spec, const Demand& demand) {
    const bool all_in_one =
        std::any_of(demand.choices.begin(), demand.choices.end(), [&](const BitSet& choice) {
            return demand.required.is_subset_of(choice) && !choice.empty();
        });
    if (all_in_one) return std::nullopt;
    for (const BitSet& choice : demand.choices) {
        if (choice.empty()) continue;
        const std::size_t node = (demand.required - choice).find_first();
        return unavailable(Refusal::node_configuration_unavailable,
                           "node " + spec.nodes[node].name +
                               " is not in the partition, or lacks the features asked for");
    }
    return unavailable(Refusal::node_configuration_unavailable,
                       "no node of the partition may be used: exclusions and features rule out "
                       "all of them");
}

}  // namespace

Objection check_fits(const ClusterState& state, const Job& job) {
    const ClusterSpec& spec = state.spec();
    const Demand demand = demand_of(spec, job);
    const std::uint32_t tasks = tasks_somewhere(demand);
    if (auto no = check_required(spec, demand)) return no;
    if (auto no = check_cpus(spec, demand, tasks)) return no;
    if (auto no = check_memory(spec, demand, tasks)) return no;
    if (auto no = check_gres_on_node(spec, demand, demand.gres_per_node, 1)) return no;
    if (auto no = check_gres_on_node(spec, demand, demand.gres_per_task, tasks)) return no;
    // A job of more nodes than there are is admitted and says so while it waits, as in Slurm.
    if (demand.nodes_min > spec.partition(job.partition).nodes.size()) return std::nullopt;
    return check_gres_in_all(spec, demand);
}

}  // namespace berth
