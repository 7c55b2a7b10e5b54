#include "berth/server/views/cluster_rows.h"

#include <algorithm>

#include "berth/base/fields.h"
#include "berth/model/partition_state.h"
#include "berth/server/views/tres_text.h"

namespace berth {
namespace {

// Once for all rows of an answer: which nodes are in which partitions, planned for, or completing.
struct NodeMarks {
    BitSet planned, completing, maint, reserved;
    std::vector<std::vector<std::string>> partitions;
};

// Slurm marks a node as planned when the job planned there is next to have it.
NodeMarks marks_of(const Snapshot& snapshot) {
    const ClusterSpec& spec = *snapshot.spec;
    const BitSet none(spec.nodes.size());
    NodeMarks marks{none, none, none, none, {}};
    marks.partitions.resize(spec.nodes.size());
    for (const PartitionSpec& partition : spec.partitions) {
        for (const NodeId node : partition.nodes)
            marks.partitions[node.index()].push_back(partition.name);
    }
    for (const Reservation& one : *snapshot.reservations) {  // Of whole nodes, while it lasts.
        if (!one.whole_nodes || one.start > snapshot.now || one.end <= snapshot.now) continue;
        for (const auto& [node, amount] : one.amounts) {
            (one.maint ? marks.maint : marks.reserved).set(node.index());
        }
    }
    snapshot.planned.for_each([&](std::uint32_t id, JobId) {
        for (const auto& [node, amount] : snapshot.jobs.find(id)->planned->amounts)
            marks.planned.set(node.index());
    });
    snapshot.completing.for_each([&](std::uint32_t id, JobId) {
        const Job& job = *snapshot.jobs.find(id)->job;
        if (!job.allocation) return;
        for (const NodeShare& share : job.allocation->shares)
            marks.completing.set(share.node.index());
    });
    return marks;
}

std::string base_state(const SnapshotNode& node, NodeOrigin origin, std::int64_t allocated,
                       std::int64_t cpus) {
    const NodeCondition& condition = node.condition;
    if (condition.down) return "DOWN";
    if (!condition.responding && condition.boot_id.empty())
        return origin == NodeOrigin::future ? "FUTURE" : "UNKNOWN";
    if (!condition.responding) return "DOWN";
    if (node.free.jobs == 0) return "IDLE";
    return allocated >= cpus ? "ALLOCATED" : "MIXED";
}

// Where nobody has given one.
void give_reason(api::NodeRow& row, const SnapshotNode& node) {
    const NodeCondition& condition = node.condition;
    if (row.state == "DOWN" && !condition.down) {
        row.reason = "Not responding";
        if (!condition.fence_failure.empty()) row.reason += "; fence " + condition.fence_failure;
    } else if (!condition.drained_devices.empty()) {
        const DrainedDevice& last =
            *std::ranges::max_element(condition.drained_devices, {}, &DrainedDevice::at);
        row.reason = last.reason;
        row.reason_by = last.by;
        row.reason_at = last.at;
    } else {
        row.reason = condition.reboot.reason;
    }
}

void set_state(api::NodeRow& row, const SnapshotNode& node, NodeOrigin origin, NodeId id,
               const NodeMarks& marks) {
    const NodeCondition& condition = node.condition;
    row.state = base_state(node, origin, row.allocated_cpus, row.cpus);
    const NodeReboot& reboot = condition.reboot;
    const bool requested = reboot.stage == NodeReboot::Stage::requested;
    if (condition.drained || (requested && reboot.asap)) row.flags.emplace_back("DRAIN");
    if (requested) row.flags.emplace_back("REBOOT_REQUESTED");
    if (reboot.stage == NodeReboot::Stage::issued) row.flags.emplace_back("REBOOT_ISSUED");
    if (marks.completing.test(id.index())) row.flags.emplace_back("COMPLETING");
    if (!condition.responding) row.flags.emplace_back("NOT_RESPONDING");
    if (marks.maint.test(id.index())) row.flags.emplace_back("MAINTENANCE");
    if (marks.reserved.test(id.index())) row.flags.emplace_back("RESERVED");
    const bool idle = row.state == "IDLE" && row.flags.empty();
    if (idle && marks.planned.test(id.index())) row.flags.emplace_back("PLANNED");
    if (origin == NodeOrigin::cloud) row.flags.emplace_back("CLOUD");
    if (origin != NodeOrigin::configured) row.flags.emplace_back("DYNAMIC_NORM");
    row.reason = condition.reason;
    row.reason_by = condition.reason_by;
    row.reason_at = condition.reason_at;
    if (row.reason.empty()) give_reason(row, node);
    row.booted_at = condition.booted_at;
    row.agent_started_at = condition.agent_started_at;
    row.last_busy_at = node.last_busy_at ? node.last_busy_at : condition.agent_started_at;
    row.version = condition.agent_version;
    row.os = condition.os;
    row.arch = condition.arch;
    row.running_jobs = node.free.jobs;
}

void set_hardware(api::NodeRow& row, const NodeSpec& spec) {
    row.name = spec.name;
    row.hostname = spec.hostname;
    row.address = spec.address;
    row.boards = spec.boards;
    row.sockets = spec.sockets;
    row.cores_per_socket = spec.cores_per_socket;
    row.threads_per_core = spec.threads_per_core;
    row.cpus = spec.cpus();
    row.weight = spec.weight;
    row.memory = spec.memory.count();
    row.tmp_disk = spec.tmp_disk.count();
    row.features = spec.features;
    row.gres = spec.gres_text;
    row.comment = spec.comment;
    row.extra = spec.extra;
    row.switches = spec.switches;
    row.block = spec.block;
}

void set_amounts(api::NodeRow& row, const ClusterSpec& cluster, const NodeSpec& spec,
                 const NodeFree& free) {
    // What is published of a node before its first turn is blank: then nothing is held.
    // NOLINTNEXTLINE(readability-container-size-empty): empty() is whether none is set.
    const bool known = free.cores.size() > 0;
    Resources held = known ? spec.capacity - free.amount : Resources{};
    DeviceMask devices = 0;
    if (known) {
        devices = low_bits(static_cast<int>(spec.devices.size())) & ~free.devices & ~free.withheld;
    }
    Resources drained;
    for_each_bit(free.drained, [&](int device) {
        const DimensionId type = spec.devices[static_cast<std::size_t>(device)].dimension;
        drained[type] += 1;
        if ((free.withheld & bit(device)) != 0) held[type] -= 1;
    });
    if (free.drained != 0) row.gres_drained = gres_text(cluster, spec, free.drained, drained, true);
    row.allocated_cpus = static_cast<std::uint32_t>(held.cpu().count() / 1000);
    row.allocated_memory = held.memory().count();
    row.gres_used = gres_text(cluster, spec, devices, held, true);
    row.configured_tres =
        tres_text(cluster, {.cpus = row.cpus, .memory = spec.memory, .gres = spec.capacity},
                  TresOrder::slurm);
    row.allocated_tres = tres_text(
        cluster,
        {.cpus = row.allocated_cpus, .memory = held.memory(), .billing = false, .gres = held},
        TresOrder::slurm);
}

api::NodeRow make_row(const Snapshot& snapshot, NodeId id, const NodeMarks& marks) {
    const NodeSpec& spec = snapshot.spec->node(id);
    const SnapshotNode& node = snapshot.node(id);
    api::NodeRow row;
    set_hardware(row, spec);
    set_amounts(row, *snapshot.spec, spec, node.free);
    set_state(row, node, spec.origin, id, marks);
    row.partitions = marks.partitions[id.index()];
    return row;
}

std::optional<std::int64_t> count_of(const std::optional<Bytes>& bytes) {
    if (!bytes) return std::nullopt;
    return bytes->count();
}

api::PartitionRow partition_row(const ClusterSpec& cluster, const PartitionSpec& spec) {
    api::PartitionRow row;
    copy_same_fields(spec, row);
    row.state = slurm_name(spec.state);
    row.default_memory_per_cpu = count_of(spec.default_memory_per_cpu);
    row.default_memory_per_node = count_of(spec.default_memory_per_node);
    row.max_memory_per_cpu = count_of(spec.max_memory_per_cpu);
    row.max_memory_per_node = count_of(spec.max_memory_per_node);
    const PreemptionSpec& preemption = cluster.scheduling.preemption;
    row.preempt_mode = preempt_mode_text(spec.preempt_mode.value_or(preemption.mode), false,
                                         preemption.gang && !spec.preempt_mode);
    row.grace_time = spec.grace_time / std::chrono::seconds(1);
    row.job_defaults = job_defaults_text(spec.job_defaults);
    Tres tres;
    for (const NodeId id : spec.nodes) {
        const NodeSpec& node = cluster.node(id);
        row.nodes.push_back(node.name);
        row.total_cpus += node.cpus();
        tres.memory += node.memory;
        tres.gres += node.capacity;
    }
    tres.cpus = row.total_cpus;
    tres.nodes = static_cast<std::int64_t>(spec.nodes.size());
    row.tres = tres_text(cluster, tres, TresOrder::slurm);
    return row;
}

}  // namespace

std::vector<api::NodeRow> node_rows(const Snapshot& snapshot) {
    const NodeMarks marks = marks_of(snapshot);
    std::vector<api::NodeRow> rows;
    for (std::uint32_t i = 0; i < snapshot.spec->nodes.size(); ++i) {
        if (!snapshot.spec->nodes[i].gone) rows.push_back(make_row(snapshot, NodeId(i), marks));
    }
    return rows;
}

std::optional<api::NodeRow> node_row(const Snapshot& snapshot, std::string_view name) {
    const std::optional<NodeId> id = snapshot.spec->find_node(name);
    if (!id || snapshot.spec->node(*id).gone) return std::nullopt;
    return make_row(snapshot, *id, marks_of(snapshot));
}

std::vector<api::PartitionRow> partition_rows(const Snapshot& snapshot) {
    std::vector<api::PartitionRow> rows;
    for (const PartitionSpec& partition : snapshot.spec->partitions) {
        if (!partition.gone) rows.push_back(partition_row(*snapshot.spec, partition));
    }
    return rows;
}

api::ConfigRow config_row(const ClusterSpec& spec) {
    api::ConfigRow row;
    row.settings = spec.settings;
    for (const DimensionId gres : spec.dimensions.gres()) {
        const std::string& name = spec.dimensions.at(gres).name;
        if (std::ranges::find(row.gres_names, name) == row.gres_names.end())
            row.gres_names.push_back(name);
    }
    return row;
}

}  // namespace berth
