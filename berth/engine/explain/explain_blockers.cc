#include "berth/engine/explain/explain_blockers.h"

#include <algorithm>

#include "berth/base/counted.h"
#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/engine/limits/limit_check.h"
#include "berth/engine/state/job_queries.h"
#include "berth/model/flavor_of.h"

namespace berth {
namespace {

std::string_view word(DependencyKind kind) {
    switch (kind) {
        case DependencyKind::after: return "after";
        case DependencyKind::afterany: return "afterany";
        case DependencyKind::afterok: return "afterok";
        case DependencyKind::afternotok: return "afternotok";
        case DependencyKind::aftercorr: return "aftercorr";
        case DependencyKind::singleton: return "singleton";
    }
    return "";
}

std::string dependencies_text(const Job& job) {
    std::string text;
    for (const Dependency& one : job.spec.dependencies) {
        if (!text.empty()) text += job.spec.any_dependency ? "?" : ",";
        text += word(one.kind);
        if (one.kind != DependencyKind::singleton) text += ":" + to_string(one.job);
        if (one.array_task) text += "_" + std::to_string(*one.array_task);
    }
    return text;
}

std::string limit_text(Duration limit) {
    return limit == Duration::max() ? "no time limit" : "a time limit of " + format_duration(limit);
}

std::int64_t minutes(Duration length) { return seconds(length) / 60; }

void fill_time(Blocker& blocker, const Job& job, Duration most, const std::string& whose) {
    if (job.time_limit != Duration::max()) {  // An unlimited time has no number of minutes.
        blocker.resource = "minutes";
        blocker.asked = minutes(job.time_limit);
        blocker.total = minutes(most);
    }
    blocker.text = "The job asks for " + limit_text(job.time_limit) + "; " + whose +
                   " allows at most " + format_duration(most) + ".";
}

void fill_nodes(Blocker& blocker, const PartitionSpec& partition, const Demand& demand) {
    const std::size_t most =
        std::min<std::size_t>(partition.max_nodes.value_or(UINT32_MAX), partition.nodes.size());
    blocker.resource = "nodes";
    blocker.asked = demand.nodes_min;
    blocker.total = static_cast<std::int64_t>(most);
    blocker.text =
        "The job asks for " + counted(demand.nodes_min, "nodes") + "; the partition allows from " +
        std::to_string(std::max(partition.min_nodes, 1U)) + " to " + std::to_string(most) + ".";
}

void fill_node_memory(Blocker& blocker, const ClusterSpec& spec, const PartitionSpec& partition,
                      const Demand& demand) {
    blocker.resource = "mem";
    blocker.asked = memory_on_fullest(spec, demand).count();
    blocker.total = partition.max_memory_per_node->count();
    blocker.text = "The job asks for " + format_size(Bytes(blocker.asked)) +
                   " of memory on one node; the partition allows at most " +
                   format_size(Bytes(blocker.total)) + " (MaxMemPerNode).";
}

// The reasons explained without numbers.
std::string plain_text(const Job& job, const BlockingReason& blocking) {
    switch (blocking.reason) {
        case PendingReason::job_held_user: return "Its owner holds it: release it.";
        case PendingReason::job_held_admin: return "An administrator holds it.";
        case PendingReason::launch_failed_requeued_held:
            return "Its last launch failed, so it was requeued and held: see the node's log, then "
                   "release it.";
        case PendingReason::cleaning:
            return "EpilogSlurmctld of its last run is not over yet on the controller's host.";
        case PendingReason::begin_time: return "It is not to begin yet (--begin).";
        case PendingReason::dependency: return "It waits for " + dependencies_text(job) + ".";
        case PendingReason::dependency_never_satisfied:
            return "What it waits for, " + dependencies_text(job) + ", can no longer happen.";
        case PendingReason::partition_down: return "The partition is down.";
        case PendingReason::partition_inactive: return "The partition is inactive.";
        case PendingReason::bad_constraints:
            return "No set of nodes could run it, even if all were empty.";
        case PendingReason::req_node_not_avail:
            return "Nodes that it cannot do without take no work now (" + *blocking.more->detail +
                   ").";
        default: return "";
    }
}

}  // namespace

Blocker blocker_of_reason(const ClusterState& state, const DerivedState& derived, const Job& job,
                          const Shape& shape, const BlockingReason& blocking) {
    const PartitionSpec& partition = state.spec().partition(job.partition);
    Blocker blocker{.reason = blocking.reason, .level = "job", .text = plain_text(job, blocking)};
    if (blocking.more->until) blocker.until = *blocking.more->until;
    switch (blocking.reason) {
        case PendingReason::partition_down:
        case PendingReason::partition_inactive:
        case PendingReason::partition_node_limit:
        case PendingReason::partition_time_limit:
        case PendingReason::max_mem_per_limit: blocker.level = "partition " + partition.name; break;
        case PendingReason::req_node_not_avail: blocker.level = "cluster"; break;
        default: break;
    }
    if (blocking.reason == PendingReason::partition_node_limit) {
        fill_nodes(blocker, partition, shape.demand());
    } else if (blocking.reason == PendingReason::partition_time_limit) {
        fill_time(blocker, job, *partition.max_time, "the partition");
    } else if (blocking.reason == PendingReason::max_mem_per_limit) {
        fill_node_memory(blocker, state.spec(), partition, shape.demand());
    } else if (blocking.reason == PendingReason::qos_max_wall) {
        const QosSpec& qos = *wall_qos(state.spec(), job.partition, job.qos);
        blocker.level = "qos " + qos.name;
        fill_time(blocker, job, *qos.max_wall, "the QOS");
    } else if (blocking.reason == PendingReason::job_array_task_limit) {
        blocker.level = "array " + to_string(job.array_job.value_or(job.id));
        blocker.resource = "tasks";
        blocker.asked = 1;
        blocker.total = job.spec.array ? job.spec.array->max_running : job.array_max_running;
        blocker.text = std::to_string(derived.running_tasks(job)) +
                       " of its array's tasks run, and no more than " +
                       std::to_string(blocker.total) + " may at once.";
    }
    return blocker;
}

Blocker blocker_of(const Excess& excess) {
    return {.reason = excess.reason,
            .level = excess.holder,
            .resource = excess.what,
            .asked = excess.asked,
            .free = std::max<std::int64_t>(0, excess.most - excess.used),
            .total = excess.most,
            .text = in_words(excess) + "."};
}

Blocker blocker_of(const ClusterState& state, const Job& job, const Shortage& shortage) {
    Blocker blocker{.reason = PendingReason::resources,
                    .level = "partition " + state.spec().partition(job.partition).name +
                             flavor_text(state.spec(), job.spec.flavor),
                    .resource = shortage.resource,
                    .asked = shortage.asked,
                    .free = shortage.free,
                    .total = shortage.total};
    const auto amount = [&](std::int64_t n) {
        return shortage.resource == "mem" ? format_size(Bytes(n)) : std::to_string(n);
    };
    const std::string asked = shortage.resource == "nodes"
                                  ? counted(shortage.asked, "nodes")
                                  : amount(shortage.asked) + " " + shortage.resource;
    blocker.text = "It asks for " + asked + "; " + amount(shortage.free) + " of " +
                   amount(shortage.total) + " are free";
    if (shortage.resource != "nodes" && shortage.nodes_fit < shortage.nodes_asked) {
        blocker.text += shortage.nodes_fit == 0
                            ? ", and no node has enough"
                            : ", and only " + std::to_string(shortage.nodes_fit) + " of the " +
                                  std::to_string(shortage.nodes_asked) +
                                  " nodes it needs have enough";
    }
    blocker.text += ".";
    return blocker;
}

namespace {

std::string node_names(const ClusterSpec& spec, const BitSet& nodes) {
    std::vector<std::string> names;
    for (std::size_t n = nodes.find_first(); n != BitSet::kNone; n = nodes.find_next(n)) {
        names.push_back(spec.nodes[n].name);
    }
    return compress_hostlist(std::move(names));
}

}  // namespace

std::optional<Blocker> blocker_of_holds(const ClusterState& state, const DerivedState& derived,
                                        const Job& job, const Demand& demand) {
    Blocker blocker{.reason = PendingReason::resources, .level = "hold"};
    const ClusterSpec& spec = state.spec();
    if (const HeadHold* own = derived.holds.of(job.id)) {
        blocker.text =
            "It is first, and no start is known since what runs has no known end; it "
            "has waited for " +
            format_duration(spec.scheduling.planning.hold_after) +
            " (hold_after), so nobody else starts on " + node_names(spec, own->nodes) +
            " any more.";
        return blocker;
    }
    for (const HeadHold& hold : derived.holds.all()) {
        const bool meets = std::ranges::any_of(
            demand.choices, [&](const BitSet& choice) { return choice.intersects(hold.nodes); });
        if (!meets) continue;
        blocker.text += (blocker.text.empty() ? "" : " ") + node_names(spec, hold.nodes) +
                        " is kept for job " + to_string(hold.job) +
                        ", which is first and has no known start.";
    }
    if (blocker.text.empty()) return std::nullopt;
    return blocker;
}

}  // namespace berth
