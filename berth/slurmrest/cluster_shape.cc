// A node and a partition as slurmrestd gives them, and as `scontrol --json show` prints them.
#include "berth/api/row_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/oversubscribe.h"
#include "berth/slurmrest/row_shapes.h"

namespace berth::slurmrest {
namespace {

using api::nodes_text;

std::vector<std::string> states_of(const api::NodeRow& node) {
    std::vector<std::string> states{node.state};
    states.insert(states.end(), node.flags.begin(), node.flags.end());
    return states;
}

std::int64_t whole_mib(std::int64_t bytes) { return in_mib(Bytes(bytes)); }

void put_hardware(ShapeWriter& json, const api::NodeRow& node) {
    json.put("architecture", node.arch);
    json.put("burstbuffer_network_address", "");
    json.put("boards", std::int64_t{node.boards});
    json.put_time("boot_time", node.booted_at);
    json.put("cluster_name", "");
    json.put("cores", std::int64_t{node.cores_per_socket});
    json.put("specialized_cores", std::int64_t{0});
    json.put("cpu_binding", std::int64_t{0});
    json.put("cpu_load", std::int64_t{0});      // Agents do not report it yet.
    json.put_number("free_mem", std::nullopt);  // Nor this.
    json.put("cpus", std::int64_t{node.cpus});
    json.put("effective_cpus", std::int64_t{node.cpus});
    json.put("specialized_cpus", "");
    json.put_time("last_busy", node.last_busy_at);
    json.put("features", node.features), json.put("active_features", node.features);
    json.put("gpu_spec", ""), json.put("gres", node.gres);
    json.put("gres_drained", node.gres_drained.empty() ? "N/A" : node.gres_drained),
        json.put("gres_used", node.gres_used);
}

void put_state(ShapeWriter& json, const api::NodeRow& node) {
    json.put("name", node.name);
    json.put("next_state_after_reboot", std::vector<std::string>{"INVALID"});
    json.put("address", node.address), json.put("hostname", node.hostname);
    json.put("state", states_of(node));
    json.put("operating_system", node.os), json.put("owner", "");
    json.put("partitions", node.partitions);
    json.put("port", std::int64_t{0});
    json.put("real_memory", whole_mib(node.memory));
    json.put("res_cores_per_gpu", std::int64_t{0});
    json.put("comment", ""), json.put("reason", node.reason);
    json.put_time("reason_changed_at", node.reason_at);
    json.put("reason_set_by_user", node.reason_by);
    json.put_number("resume_after", std::int64_t{0});
    json.put("reservation", "");
}

}  // namespace

void put_node(ShapeWriter& json, const api::NodeRow& node, const std::string& cluster) {
    json.begin();
    json.put("cluster", cluster);
    put_hardware(json, node);
    put_state(json, node);
    json.put("alloc_memory", whole_mib(node.allocated_memory));
    json.put("alloc_cpus", std::int64_t{node.allocated_cpus});
    json.put("alloc_idle_cpus", std::int64_t{node.cpus} - std::int64_t{node.allocated_cpus});
    json.put("tres_used", node.allocated_tres);
    json.put("tres_weighted", std::int64_t{0});
    json.put_time("slurmd_start_time", node.agent_started_at);
    json.put("sockets", std::int64_t{node.sockets});
    json.put("threads", std::int64_t{node.threads_per_core});
    json.put("temporary_disk", whole_mib(node.tmp_disk));
    json.put("weight", std::int64_t{node.weight});
    json.put("tres", node.configured_tres), json.put("version", node.version);
    json.end();
}

namespace {

void put_access(ShapeWriter& json, const api::PartitionRow& partition, const std::string& cluster) {
    json.begin("nodes");
    json.put("allowed_allocation", nodes_text(partition.alloc_nodes));
    json.put("configured", nodes_text(partition.nodes));
    json.put("total", static_cast<std::int64_t>(partition.nodes.size()));
    json.end();
    json.begin("accounts");
    json.put("allowed", join(partition.allow_accounts, ","));
    json.put("deny", join(partition.deny_accounts, ","));
    json.end();
    json.begin("groups");
    json.put("allowed", join(partition.allow_groups, ","));
    json.end();
    json.begin("qos");
    json.put("allowed", join(partition.allow_qos, ","));
    json.put("deny", join(partition.deny_qos, ","));
    json.put("assigned", "");
    json.end();
    json.put("alternate", "");
    json.begin("tres");
    json.put("billing_weights", ""), json.put("configured", partition.tres);
    json.end();
    json.put("cluster", cluster);
    json.put("select_type", std::vector<std::string>{});
    json.begin("cpus");
    json.put("task_binding", std::int64_t{0});
    json.put("total", std::int64_t{partition.total_cpus});
    json.end();
}

void put_memory(ShapeWriter& json, std::string_view name,
                const std::optional<std::int64_t>& bytes) {
    json.put_number(name, bytes ? std::optional(whole_mib(*bytes)) : std::nullopt);
}

void put_limits(ShapeWriter& json, const api::PartitionRow& partition) {
    json.begin("defaults");
    put_memory(json, "partition_memory_per_cpu", partition.default_memory_per_cpu);
    put_memory(json, "partition_memory_per_node", partition.default_memory_per_node);
    if (partition.default_time) {
        json.put_minutes("time", partition.default_time);
    } else {
        json.put_number("time", std::nullopt);
    }
    json.put("job", partition.job_defaults == "(null)" ? "" : partition.job_defaults);
    json.end();
    json.put("grace_time", partition.grace_time);
    json.begin("maximums");
    if (partition.max_cpus_per_node) {
        json.put_number("cpus_per_node", *partition.max_cpus_per_node);
    } else {
        json.put_infinite("cpus_per_node");
    }
    json.put_infinite("cpus_per_socket");
    put_memory(json, "partition_memory_per_cpu", partition.max_memory_per_cpu);
    put_memory(json, "partition_memory_per_node", partition.max_memory_per_node);
    if (partition.max_nodes) {
        json.put_number("nodes", *partition.max_nodes);
    } else {
        json.put_infinite("nodes");
    }
    json.begin("oversubscribe");
    const CoreSharing sharing = core_sharing_of(partition.oversubscribe);
    json.put("jobs", std::int64_t{sharing.jobs});
    json.put("flags", partition.oversubscribe.starts_with("FORCE")
                          ? std::vector<std::string>{"force"}
                          : std::vector<std::string>{});
    json.end();
    json.put_minutes("time", partition.max_time);
    json.put_minutes("over_time_limit", partition.over_time_limit);
    json.end();
    json.begin("minimums");
    json.put("nodes", std::int64_t{partition.min_nodes});
    json.end();
}

}  // namespace

void put_partition(ShapeWriter& json, const api::PartitionRow& partition,
                   const std::string& cluster) {
    json.begin();
    put_access(json, partition, cluster);
    put_limits(json, partition);
    json.put("name", partition.name), json.put("node_sets", "");
    json.begin("priority");
    json.put("job_factor", partition.priority_job_factor);
    json.put("tier", partition.priority_tier);
    json.end();
    json.begin("timeouts");
    json.put_number("resume", std::nullopt), json.put_number("suspend", std::nullopt);
    json.end();
    json.begin("partition");
    json.put("state", std::vector<std::string>{partition.state});
    json.end();
    json.put_number("suspend_time", std::nullopt);
    json.end();
}

}  // namespace berth::slurmrest
