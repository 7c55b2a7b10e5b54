// PartitionName lines of slurm.conf.
#include <algorithm>

#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/model/partition_keys.h"

namespace berth::config {
namespace {

std::string no_such_key(const std::string& key) {
    std::vector<std::string_view> names;
    for (const PartitionKey& known : partition_keys()) names.push_back(known.name);
    std::string text = "there is no option " + key + " on a PartitionName line";
    if (const auto meant = nearest(key, names)) text += "; did you mean " + *meant + "?";
    return text;
}

void read_key(Draft& draft, const Line& line, const Pair& pair, PartitionSpec& partition) {
    const PartitionKey* const key = find_partition_key(pair.key);
    if (key == nullptr) return draft.error(line, pair, no_such_key(pair.key));
    if (!pair.value) return draft.error(line, pair, pair.key + " has no value");
    switch (key->value) {
        case PartitionValue::name: partition.name = *pair.value; return;
        case PartitionValue::nodes: return;  // See resolve_partition_nodes().
        case PartitionValue::billing_weights:
            partition.billing_weights = read_tres_weights(draft, line, pair);
            return;
        case PartitionValue::without_effect:
            return draft.warning(line, pair, pair.key + "=" + *pair.value + " has no effect yet");
        default: break;
    }
    PartitionChange change;
    if (const Status read = set_value(change, *key, *pair.value); !read.ok()) {
        return draft.error(line, pair, read.error().message);
    }
    apply_change(partition, change);
}

// What slurm.conf sets for all partitions whose lines do not say.
void read_global_keys(Draft& draft, const std::vector<const Line*>& lines,
                      PartitionSpec& partition) {
    const auto is_given = [&](std::string_view key) {
        return std::ranges::any_of(lines, [&](const Line* line) { return line->has(key); });
    };
    const Line line{.file = draft.slurm_conf, .number = 0, .pairs = {}};
    const auto take = [&](std::string_view key) {
        const Pair* const pair = draft.global(to_lower(key));
        if (pair != nullptr && !is_given(key)) read_key(draft, line, *pair, partition);
    };
    if (!partition.default_memory_per_node) take("DefMemPerCPU");
    if (!partition.default_memory_per_cpu) take("DefMemPerNode");
    take("MaxMemPerCPU");
    take("MaxMemPerNode");
    take("DisableRootJobs");
    if (is_given("JobDefaults") || is_given("DefCpuPerGPU") || is_given("DefMemPerGPU")) return;
    take("JobDefaults");
    take("DefCpuPerGPU");
    take("DefMemPerGPU");
}

// A line's nodes, by name or by NodeSet.
class NodesOf {
public:
    NodesOf(Draft& draft, const Line& line, const Pair& pair, PartitionSpec& partition)
        : draft_(draft), line_(line), pair_(pair), partition_(partition) {}

    void read() {
        if (iequals(*pair_.value, "ALL")) {
            partition_.all_nodes = true;
            for (std::size_t i = 0; i < draft_.spec.nodes.size(); ++i)
                partition_.nodes.edit().push_back(NodeId::from_index(i));
            return;
        }
        add(*pair_.value, "Nodes=");
        std::vector<NodeId>& nodes = partition_.nodes.edit();
        std::ranges::sort(nodes);
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }

private:
    void add(const std::string& list, const std::string& where) {
        const auto names = expand_hostlist(list);
        if (!names.ok()) return draft_.error(line_, pair_, names.error().message);
        for (const std::string& name : names.value()) {
            if (const auto node = draft_.spec.find_node(name)) {
                partition_.nodes.edit().push_back(*node);
            } else if (const auto set = draft_.node_sets.find(name);
                       set != draft_.node_sets.end()) {
                add_set(set->second, name);
            } else {
                draft_.error(line_, pair_,
                             (where + " names ").append(name) +
                                 ", which no NodeName line and no NodeSet line describes");
            }
        }
    }
    void add_set(const NodeSet& set, const std::string& name) {
        if (!set.nodes.empty() && !is_inside_) {
            is_inside_ = true;  // A set names nodes and no sets.
            add(set.nodes, "NodeSet=" + name);
            is_inside_ = false;
        }
        for (const std::string& feature : set.features) {
            partition_.node_features.push_back(feature);
            for (std::size_t i = 0; i < draft_.spec.nodes.size(); ++i) {
                const auto& own = draft_.spec.nodes[i].features;
                if (std::ranges::find(own, feature) != own.end())
                    partition_.nodes.edit().push_back(NodeId::from_index(i));
            }
        }
    }

    Draft& draft_;
    const Line& line_;
    const Pair& pair_;
    PartitionSpec& partition_;
    bool is_inside_ = false;
};

}  // namespace

void read_partition_line(Draft& draft, const Line& line, Line& defaults) {
    const Pair& name = line.pairs.front();
    if (!name.value) return draft.error(line, name, "PartitionName has no value");
    if (iequals(*name.value, "DEFAULT")) {
        defaults = line;
        return;
    }
    if (draft.spec.find_partition(*name.value)) {
        return draft.error(line, "partition " + *name.value + " is described twice");
    }
    PartitionSpec partition;
    for (const Pair& pair : defaults.pairs) read_key(draft, line, pair, partition);
    for (const Pair& pair : line.pairs) read_key(draft, line, pair, partition);
    read_global_keys(draft, {&defaults, &line}, partition);
    if (partition.is_default && draft.spec.default_partition()) {
        draft.error(line, "a second default partition; the first is " +
                              draft.spec.partition(*draft.spec.default_partition()).name);
        partition.is_default = false;
    }
    const Pair* nodes = line.find("Nodes");
    if (nodes == nullptr) nodes = defaults.find("Nodes");
    draft.spec.partitions.push_back(partition);
    draft.partition_nodes.emplace_back(line,
                                       nodes == nullptr ? std::nullopt : std::optional(*nodes));
}

// NodeSet=a100 Feature=a100, NodeSet=old Nodes=n[1-4]
void read_node_set_line(Draft& draft, const Line& line) {
    NodeSet set{.line = line, .nodes = {}, .features = {}};
    const Pair& name = line.pairs.front();
    if (!name.value || name.value->empty()) return draft.error(line, name, "NodeSet has no value");
    for (const Pair& pair : line.pairs) {
        if (&pair == &name) continue;
        if (!pair.value) {
            draft.error(line, pair, pair.key + " has no value");
        } else if (iequals(pair.key, "Nodes")) {
            set.nodes = *pair.value;
        } else if (iequals(pair.key, "Feature")) {
            for (const auto feature : split(*pair.value, ','))
                set.features.emplace_back(trim(feature));
        } else {
            draft.error(line, pair,
                        "there is no option " + pair.key +
                            " on a NodeSet line: there are Feature= and Nodes=");
        }
    }
    if (set.nodes.empty() && set.features.empty())
        draft.error(line, "NodeSet=" + *name.value + " needs Feature= or Nodes=");
    if (!draft.node_sets.emplace(*name.value, std::move(set)).second)
        draft.error(line, "NodeSet " + *name.value + " is described twice");
}

void resolve_partition_nodes(Draft& draft) {
    for (std::size_t i = 0; i < draft.partition_nodes.size(); ++i) {
        const auto& [line, nodes] = draft.partition_nodes[i];
        if (nodes && nodes->value) NodesOf(draft, line, *nodes, draft.spec.partitions[i]).read();
    }
    if (draft.spec.partitions.empty() && !draft.spec.nodes.empty()) {
        draft.findings.add(Severity::error, draft.slurm_conf, 0,
                           "no partition: add PartitionName=main Nodes=ALL Default=YES");
    }
    if (draft.spec.nodes.empty() && draft.spec.max_node_count == 0) {
        draft.findings.add(
            Severity::error, draft.slurm_conf, 0,
            "no node: add a line such as NodeName=gpu1 CPUs=64 RealMemory=512000 Gres=gpu:a100:8");
    }
}

// sacctmgr may add it, or has: the file alone cannot tell.
void check_partition_qos(Draft& draft) {
    for (std::size_t i = 0; i < draft.partition_nodes.size(); ++i) {
        const Line& line = draft.partition_nodes[i].first;
        const Pair* const pair = line.find("QOS");
        const std::string& name = draft.spec.partitions[i].qos;
        if (pair == nullptr || name.empty() || draft.spec.find_qos(name)) continue;
        std::string text = "QOS=" + name;
        text +=
            ": its limits apply once there is such a QOS, in berth.yaml or by sacctmgr add qos ";
        draft.note(line, *pair, text + name);
    }
}

}  // namespace berth::config
