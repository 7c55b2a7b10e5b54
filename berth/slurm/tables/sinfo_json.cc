#include "berth/slurm/tables/sinfo_json.h"

#include <algorithm>
#include <ostream>

#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/slurm/json/json_rows.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

using Node = api::NodeRow;

// "allocated", "idle", "other" and "total"; of one that takes no work, what is free is "other".
void put_counts(SlurmJson& json, std::int64_t allocated, std::int64_t idle, std::int64_t other) {
    json.put("allocated", allocated), json.put("idle", idle), json.put("other", other);
    json.put("total", allocated + idle + other);
}

// All nodes of a group are alike in it.
void put_range(SlurmJson& json, std::string_view name, std::int64_t value) {
    json.begin(name);
    json.put("minimum", value), json.put("maximum", value);
    json.end();
}

void put_nodes(SlurmJson& json, const NodeGroup& group) {
    std::int64_t busy = 0, idle = 0, other = 0;
    std::vector<std::string> names, hosts, addresses;
    for (const Node* node : group.nodes) {
        ++(!takes_work(*node) ? other : node->allocated_cpus > 0 ? busy : idle);
        names.push_back(node->name);
        hosts.push_back(node->hostname);
        addresses.push_back(node->address);
    }
    json.begin("nodes");
    put_counts(json, busy, idle, other);
    json.put("hostnames", hosts), json.put("addresses", addresses), json.put("nodes", names);
    json.end();
}

void put_cpus(SlurmJson& json, const NodeGroup& group) {
    std::int64_t allocated = 0, idle = 0, other = 0;
    for (const Node* node : group.nodes) {
        allocated += node->allocated_cpus;
        const std::uint32_t free = node->cpus - std::min(node->cpus, node->allocated_cpus);
        (takes_work(*node) ? idle : other) += free;
    }
    json.begin("cpus");
    put_counts(json, allocated, idle, other);
    const std::int64_t each = group.nodes.empty() ? 0 : group.first()->cpus;
    json.put("minimum", each), json.put("maximum", each);
    json.begin("load");  // Agents do not report it yet.
    json.put_number("minimum", std::nullopt), json.put_number("maximum", std::nullopt);
    json.end();
    json.end();
}

void put_memory(SlurmJson& json, const NodeGroup& group, const Node& node) {
    std::int64_t allocated = 0;
    for (const Node* one : group.nodes) allocated += in_mib(Bytes(one->allocated_memory));
    json.begin("memory");
    json.put("minimum", in_mib(Bytes(node.memory))),
        json.put("maximum", in_mib(Bytes(node.memory)));
    json.begin("free");
    json.put_number("minimum", std::nullopt), json.put_number("maximum", std::nullopt);
    json.end();
    json.put("allocated", allocated);
    json.end();
}

void put_kind(SlurmJson& json, const Node& node) {
    put_range(json, "sockets", node.sockets);
    put_range(json, "cores", node.cores_per_socket);
    put_range(json, "threads", node.threads_per_core);
    put_range(json, "disk", in_mib(Bytes(node.tmp_disk)));
    put_range(json, "weight", node.weight);
    json.begin("features");
    json.put("total", join(node.features, ",")), json.put("active", join(node.features, ","));
    json.end();
    json.begin("gres");
    json.put("total", node.gres), json.put("used", node.gres_used);
    json.end();
    json.begin("reason");
    json.put("description", node.reason);
    json.put_time("time", node.reason_at);
    json.put("user", node.reason_by);
    json.end();
}

void put_group(SlurmJson& json, const NodeGroup& group, const std::string& cluster) {
    static const Node nothing;
    const Node& node = group.nodes.empty() ? nothing : *group.first();
    json.begin();
    json.put("port", std::int64_t{0});
    json.begin("node");
    std::vector<std::string> states{node.state};
    states.insert(states.end(), node.flags.begin(), node.flags.end());
    json.put("state", group.nodes.empty() ? std::vector<std::string>{} : states);
    json.end();
    put_nodes(json, group);
    put_cpus(json, group);
    put_memory(json, group, node);
    put_kind(json, node);
    json.put("cluster", cluster), json.put("comment", ""), json.put("extra", "");
    json.key("partition");
    put_partition(json, *group.partition, cluster);
    json.end();
}

}  // namespace

void put_sinfo(SlurmJson& json, const Invocation& call, const std::string& cluster,
               const std::vector<NodeGroup>& groups) {
    json.begin();
    json.begin_list("sinfo");
    for (const NodeGroup& group : groups) {
        put_group(json, group, cluster);
        json.flush();
    }
    json.end_list();
    json.finish(call, cluster);
}

}  // namespace berth::slurm
