// Admission: could the partition serve the job if it were empty? If not, what does the job ask too
// much of?
#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <optional>

#include "berth/base/counted.h"
#include "berth/base/size_text.h"
#include "berth/engine/admission/admission_checks.h"
#include "berth/engine/limits/flavor_choices.h"
#include "berth/engine/placement/demand.h"
#include "berth/engine/placement/placement.h"
#include "berth/engine/placement/resolved_demand.h"
#include "berth/model/flavor_of.h"

namespace berth {
namespace {

Refusing unavailable(Refusal why, std::string message, std::vector<std::string> details = {}) {
    return {.why = why, .message = std::move(message), .details = std::move(details)};
}

// The fewest tasks that the job's fullest node can have.
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
    const std::int64_t asked = asked_cpus(demand, tasks, 1);
    std::int64_t most = 0;
    each_candidate(spec, demand, [&](const NodeSpec& node) {
        const std::int64_t threads = threads_used(node, demand.near.threads_per_core);
        most = std::max(most, node.cores() * threads);
    });
    if (asked <= most) return std::nullopt;
    return unavailable(
        Refusal::cpus_unavailable,
        std::to_string(asked) + " CPUs on one node; the largest has " + std::to_string(most),
        {"CPU count per node can not be satisfied"});
}

// Tasks per socket and per core may leave cores unused that are there.
Objection check_tasks_fit(const ClusterSpec& spec, const Demand& demand, std::uint32_t tasks) {
    const TaskLayout& layout = demand.near.layout;
    const bool is_limited = layout.per_socket > 0 || layout.per_core > 0;
    if (!is_limited || layout.overcommit) return std::nullopt;
    std::uint32_t most = 0;
    each_candidate(spec, demand, [&](const NodeSpec& node) {
        most = std::max(most, most_tasks(core_use(demand, node), node));
    });
    if (tasks <= most) return std::nullopt;
    std::string limits;
    if (layout.per_socket > 0) limits += " " + std::to_string(layout.per_socket) + " per socket";
    if (layout.per_core > 0)
        limits += (limits.empty() ? " " : ", ") + std::to_string(layout.per_core) + " per core";
    return unavailable(Refusal::node_configuration_unavailable,
                       std::to_string(tasks) + (tasks == 1 ? " task" : " tasks") +
                           " on one node, at most" + limits + "; no node takes more than " +
                           std::to_string(most) + " of " + std::to_string(demand.cpus_per_task) +
                           (demand.cpus_per_task == 1 ? " CPU" : " CPUs"));
}

Objection check_memory_fits(const ClusterSpec& spec, const Demand& demand, std::uint32_t tasks) {
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

// What a node adds to a job: tasks, and GRES of the total.
struct Addition {
    std::int64_t tasks = 0, gres = 0;
};
Addition added_by(const Demand& demand, const NodeSpec& node) {
    const std::uint32_t tasks =
        tasks_that_fit(demand, node, node.capacity, tasks_per_node_max(demand));
    if (tasks == 0) return {};
    if (demand.gres_total.empty()) return {.tasks = tasks};
    const auto take = take_on(demand, node, node.capacity, tasks);
    if (!take) return {};
    return {.tasks = tasks,
            .gres = take->of_total[0] + more_of_total(demand, *take, node.capacity, 0)};
}

// Whether the first suitable nodes suffice for the job. True for nearly every job, after a few
// nodes. False means unknown.
bool first_nodes_suffice(const ClusterSpec& spec, const Demand& demand) {
    if (!demand.required.empty() || demand.gres_total.size() > 1) return false;
    if (demand.near != Near{}) return false;
    const std::int64_t gres = demand.gres_total.empty() ? 0 : demand.gres_total[0].count;
    const std::int64_t most =
        gres == 0 ? demand.nodes_max : std::min<std::int64_t>(demand.nodes_max, gres);
    for (const BitSet& choice : demand.choices) {
        Addition sum;
        std::int64_t nodes = 0;
        for (std::size_t n = choice.find_first(); n != BitSet::kNone && nodes < most;
             n = choice.find_next(n)) {
            const Addition more = added_by(demand, spec.nodes[n]);
            if (more.tasks == 0) continue;
            sum.tasks += more.tasks;
            sum.gres += more.gres;
            ++nodes;
            const bool enough = sum.tasks >= demand.tasks.value_or(0) && sum.gres >= gres;
            if (nodes >= demand.nodes_min && enough) return true;
        }
    }
    return false;
}

// The view of an empty cluster for placement scores.
class EmptyCluster : public View {
public:
    explicit EmptyCluster(const ClusterSpec& spec) : spec_(spec), totals_(totals_of(spec)) {}
    Time now() const override { return {}; }
    const ClusterSpec& spec() const override { return spec_; }
    const ClusterTotals& totals() const override { return totals_; }
    const TresCounts& total(PartitionId) const override { return partition_; }
    const Resources& free(NodeId node) const override { return spec_.node(node).capacity; }
    const Job* find_job(JobId) const override { return nullptr; }
    JobSize size(const Job&) const override { return {}; }
    TresCounts tres(const Job&) const override { return {}; }
    std::vector<const Job*> running() const override { return {}; }
    std::span<const Duration> services() const override { return {}; }
    AssociationStanding association(const Job&) const override { return {}; }

private:
    const ClusterSpec& spec_;
    ClusterTotals totals_;
    TresCounts partition_;
};

std::string on_nodes(std::uint32_t nodes) {
    return nodes == 1 ? "one node" : "each of " + std::to_string(nodes) + " nodes";
}

// The shortage in words: each number once, and what would be possible.
std::string in_words(const ClusterSpec& spec, const Shortage& shortage) {
    if (shortage.resource == "gres") {
        return "a type of GPU or other GRES is asked for that no node has; the nodes have " +
               known_gres(spec);
    }
    const auto amount = [&](std::int64_t n) {
        return shortage.resource == "mem" ? format_size(Bytes(n)) : std::to_string(n);
    };
    const std::string kind = shortage.resource == "mem" ? "of memory" : shortage.resource;
    const std::string all = std::to_string(shortage.total);
    if (shortage.resource == "nodes") {
        const std::string asked = "the job asks for " + counted(shortage.asked, "nodes") + "; ";
        if (shortage.total < shortage.asked) return asked + "it may use " + all;
        if (shortage.nodes_fit < shortage.nodes_asked) {
            return asked + "of the " + all + " that it may use, " +
                   std::to_string(shortage.nodes_fit) + " have enough of everything";
        }
        return "no choice of the " + all +
               " nodes that the job may use gives it all that it asks for at once";
    }
    const std::string most = amount(shortage.node_total) + " per node at most";
    if (shortage.on_node > shortage.node_total) {
        return "the job asks for " + amount(shortage.on_node) + " " + kind + " on " +
               on_nodes(shortage.nodes_asked) + "; there are " + most;
    }
    if (shortage.asked > shortage.total) {
        const bool in_one = shortage.total == shortage.node_total;
        return "the job asks for " + amount(shortage.asked) + " " + kind + "; there are " +
               (in_one ? most : amount(shortage.total) + " in all, " + most);
    }
    return "the job asks for " + amount(shortage.on_node) + " " + kind + " on " +
           on_nodes(shortage.nodes_asked) + "; " + std::to_string(shortage.nodes_fit) +
           (shortage.nodes_fit == 1 ? " node has as many" : " nodes have as many");
}

// A total of GRES that is more than the largest nodes have, taking as many as the job may use at
// once.
std::optional<std::string> too_few_nodes(const ClusterSpec& spec, const Demand& demand) {
    for (const GresDemand& gres : demand.gres_total) {
        if (gres.dimensions == 0) continue;
        std::vector<std::int64_t> each;
        each_candidate(spec, demand, [&](const NodeSpec& node) {
            std::int64_t has = 0;
            for (DimensionSet left = gres.dimensions; left != 0; left &= left - 1) {
                const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
                has += node.capacity[DimensionId(bit)];
            }
            each.push_back(has);
        });
        std::ranges::sort(each, std::greater{});
        if (each.size() <= demand.nodes_max) continue;
        each.resize(demand.nodes_max);
        if (std::accumulate(each.begin(), each.end(), std::int64_t{0}) >= gres.count) continue;
        return "the job asks for " + std::to_string(gres.count) + " " +
               dimension_name(spec.dimensions, gres.dimensions) + " on " +
               (each.size() == 1 ? std::string("one node")
                                 : "at most " + std::to_string(each.size()) + " nodes") +
               "; there are " + std::to_string(each.front()) + " per node at most";
    }
    return std::nullopt;
}

Objection check_placeable(const ClusterSpec& spec, const Demand& demand) {
    const Policy policy;
    const EmptyCluster view(spec);
    const Domains domains(spec);
    if (could_ever_run(demand, {policy.placement(), view, JobId(0), &domains})) return std::nullopt;
    const Rooms rooms = [&](NodeId node) { return &spec.node(node).capacity; };
    const Shortage shortage = why_not(demand, rooms, spec).shortages.at(0);
    std::optional<std::string> words;
    if (shortage.resource == "nodes" && shortage.nodes_fit >= shortage.nodes_asked) {
        words = too_few_nodes(spec, demand);
    }
    return unavailable(Refusal::node_configuration_unavailable,
                       words ? *std::move(words) : in_words(spec, shortage));
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

Objection check_demand(const ClusterSpec& spec, const Job& job, const Demand& demand) {
    if (first_nodes_suffice(spec, demand)) return std::nullopt;
    const std::uint32_t tasks = tasks_somewhere(demand);
    if (auto no = check_required(spec, demand)) return no;
    if (auto no = check_cpus(spec, demand, tasks)) return no;
    if (auto no = check_tasks_fit(spec, demand, tasks)) return no;
    if (auto no = check_memory_fits(spec, demand, tasks)) return no;
    // As in Slurm, a job that wants more nodes than exist is admitted and pends with that reason.
    if (demand.nodes_min > spec.partition(job.partition).nodes.size()) return std::nullopt;
    return check_placeable(spec, demand);
}

// Whether it fits in one of the flavors that its queue tells apart.
Objection check_flavors(const ClusterState& state, const Job& job, const Demand& demand) {
    Objection first;
    for (const FlavorChoice& choice : flavor_choices_of(state, job)) {
        Demand there = demand;
        keep_to(there, state, choice);
        Objection no = check_demand(state.spec(), job, there);
        if (!no) return std::nullopt;
        if (first) continue;
        no->message = "queue " + job.spec.account +
                      " has quotas by flavor or type, and the job would have to run on one alone" +
                      flavor_text(state.spec(), choice) + ": " + no->message;
        first = std::move(no);
    }
    return first;
}

}  // namespace

Objection check_fits(const ClusterState& state, const Job& job) {
    const ClusterSpec& spec = state.spec();
    Demand demand = demand_of(spec, job);
    const Reservation* reservation = state.reservations().find(job.spec.request->reservation);
    if (reservation != nullptr) keep_to(demand, *reservation);
    if (reservation != nullptr && (demand.share || demand.linked > 0)) {
        return unavailable(Refusal::not_supported,
                           "parts of GPUs, and --pack, in a reservation are not supported yet");
    }
    if (auto no = check_demand(spec, job, demand)) return no;
    return check_flavors(state, job, demand);
}

}  // namespace berth
