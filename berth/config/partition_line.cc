// PartitionName lines of slurm.conf.
#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

// One key of a partition: its name, and what it sets. A null function: it has no effect yet.
struct PartitionKey {
    std::string_view name;
    void (*set)(Draft&, const Line&, const Pair&, PartitionSpec&);
};

std::vector<std::string> names_of(const Pair& pair) {
    std::vector<std::string> names;
    if (iequals(*pair.value, "ALL")) return names;
    for (const auto name : split(*pair.value, ',')) names.emplace_back(trim(name));
    return names;
}

// Accounts are of one case, as in Slurm.
std::vector<std::string> accounts_of(const Pair& pair) {
    std::vector<std::string> names = names_of(pair);
    for (std::string& name : names) name = to_lower(name);
    return names;
}

void set_time(Draft& draft, const Line& line, const Pair& pair, std::optional<Duration>& time) {
    const auto limit = parse_time_limit(*pair.value);
    if (!limit.ok()) return draft.error(line, pair, pair.key + ": " + limit.error().message);
    time = limit.value();
}

void set_flag(Draft& draft, const Line& line, const Pair& pair, bool& flag) {
    const auto yes = parse_yes_no(*pair.value);
    if (!yes) return draft.error(line, pair, pair.key + "=" + *pair.value + " should be YES or NO");
    flag = *yes;
}

void set_state(Draft& draft, const Line& line, const Pair& pair, PartitionSpec& partition) {
    constexpr std::array<std::pair<const char*, PartitionState>, 4> kStates = {{
        {"UP", PartitionState::up},
        {"DOWN", PartitionState::down},
        {"DRAIN", PartitionState::drain},
        {"INACTIVE", PartitionState::inactive},
    }};
    for (const auto& [name, state] : kStates) {
        if (iequals(*pair.value, name)) {
            partition.state = state;
            return;
        }
    }
    draft.error(line, pair, "State=" + *pair.value + " should be UP, DOWN, DRAIN or INACTIVE");
}

void set_oversubscribe(Draft& draft, const Line& line, const Pair& pair, PartitionSpec& partition) {
    partition.oversubscribe = *pair.value;
    std::ranges::transform(partition.oversubscribe, partition.oversubscribe.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    });
    partition.exclusive = partition.oversubscribe == "EXCLUSIVE";
    if (partition.oversubscribe != "NO" && !partition.exclusive) {
        draft.warning(line, pair,
                      "OverSubscribe=" + *pair.value +
                          " has no effect yet: jobs never share cores or devices");
    }
}

std::optional<Bytes> megabytes(Draft& draft, const Line& line, const Pair& pair) {
    if (iequals(*pair.value, "UNLIMITED")) return std::nullopt;
    return mib(number_or(draft, line, pair, 0, 1LL << 40, 0));
}

std::int64_t factor(Draft& draft, const Line& line, const Pair& pair) {
    return number_or(draft, line, pair, 0, 65533, 1);
}

constexpr auto kPartitionKeys = std::to_array<PartitionKey>({
    {"PartitionName",
     [](Draft&, const Line&, const Pair& p, PartitionSpec& s) { s.name = *p.value; }},
    {"Nodes",
     [](Draft&, const Line&, const Pair&, PartitionSpec&) {}},  // See resolve_partition_nodes().
    {"Default", [](Draft& d, const Line& l, const Pair& p,
                   PartitionSpec& s) { set_flag(d, l, p, s.is_default); }},
    {"MaxTime", [](Draft& d, const Line& l, const Pair& p,
                   PartitionSpec& s) { set_time(d, l, p, s.max_time); }},
    {"DefaultTime",
     [](Draft& d, const Line& l, const Pair& p, PartitionSpec& s) {
         if (!iequals(*p.value, "NONE")) set_time(d, l, p, s.default_time);
     }},
    {"MinNodes",
     [](Draft& d, const Line& l, const Pair& p, PartitionSpec& s) {
         s.min_nodes = static_cast<std::uint32_t>(number_or(d, l, p, 0, 65536, 0));
     }},
    {"MaxNodes",
     [](Draft& d, const Line& l, const Pair& p, PartitionSpec& s) {
         if (!iequals(*p.value, "UNLIMITED"))
             s.max_nodes = static_cast<std::uint32_t>(number_or(d, l, p, 0, 65536, 1));
     }},
    {"State", set_state},
    {"Priority",
     [](Draft& d, const Line& l, const Pair& p, PartitionSpec& s) {
         s.priority_job_factor = s.priority_tier = factor(d, l, p);
     }},
    {"PriorityJobFactor", [](Draft& d, const Line& l, const Pair& p,
                             PartitionSpec& s) { s.priority_job_factor = factor(d, l, p); }},
    {"PriorityTier", [](Draft& d, const Line& l, const Pair& p,
                        PartitionSpec& s) { s.priority_tier = factor(d, l, p); }},
    {"DefMemPerCPU", [](Draft& d, const Line& l, const Pair& p,
                        PartitionSpec& s) { s.default_memory_per_cpu = megabytes(d, l, p); }},
    {"DefMemPerNode", [](Draft& d, const Line& l, const Pair& p,
                         PartitionSpec& s) { s.default_memory_per_node = megabytes(d, l, p); }},
    {"MaxMemPerCPU", [](Draft& d, const Line& l, const Pair& p,
                        PartitionSpec& s) { s.max_memory_per_cpu = megabytes(d, l, p); }},
    {"MaxMemPerNode", [](Draft& d, const Line& l, const Pair& p,
                         PartitionSpec& s) { s.max_memory_per_node = megabytes(d, l, p); }},
    {"AllowAccounts", [](Draft&, const Line&, const Pair& p,
                         PartitionSpec& s) { s.allow_accounts = accounts_of(p); }},
    {"DenyAccounts", [](Draft&, const Line&, const Pair& p,
                        PartitionSpec& s) { s.deny_accounts = accounts_of(p); }},
    {"AllowGroups",
     [](Draft&, const Line&, const Pair& p, PartitionSpec& s) { s.allow_groups = names_of(p); }},
    {"AllowQos",
     [](Draft&, const Line&, const Pair& p, PartitionSpec& s) { s.allow_qos = names_of(p); }},
    {"DenyQos",
     [](Draft&, const Line&, const Pair& p, PartitionSpec& s) { s.deny_qos = names_of(p); }},
    {"Hidden",
     [](Draft& d, const Line& l, const Pair& p, PartitionSpec& s) { set_flag(d, l, p, s.hidden); }},
    {"RootOnly", [](Draft& d, const Line& l, const Pair& p,
                    PartitionSpec& s) { set_flag(d, l, p, s.root_only); }},
    {"TRESBillingWeights",
     [](Draft& d, const Line& l, const Pair& p,
        PartitionSpec& s) { s.billing_weights = read_tres_weights(d, l, p); }},
    {"OverSubscribe", set_oversubscribe},
    {"Shared", set_oversubscribe},
    {"AllocNodes", nullptr},
    {"Alternate", nullptr},
    {"CpuBind", nullptr},
    {"DefCpuPerGPU", nullptr},
    {"DefMemPerGPU", nullptr},
    {"DisableRootJobs", nullptr},
    {"ExclusiveTopo", nullptr},
    {"ExclusiveUser", nullptr},
    {"GraceTime", nullptr},
    {"JobDefaults", nullptr},
    {"LLN", nullptr},
    {"MaxCPUsPerNode", nullptr},
    {"MaxCPUsPerSocket", nullptr},
    {"OverTimeLimit", nullptr},
    {"PowerDownOnIdle", nullptr},
    {"PreemptMode", nullptr},
    {"QOS", nullptr},
    {"ReqResv", nullptr},
    {"ResumeTimeout", nullptr},
    {"SelectTypeParameters", nullptr},
    {"SuspendTime", nullptr},
    {"SuspendTimeout", nullptr},
    {"Topology", nullptr},
});

void read_key(Draft& draft, const Line& line, const Pair& pair, PartitionSpec& partition) {
    const auto key = std::ranges::find_if(kPartitionKeys,
                                          [&](const auto& k) { return iequals(k.name, pair.key); });
    if (key == kPartitionKeys.end()) {
        std::vector<std::string_view> names;
        names.reserve(kPartitionKeys.size());
        for (const PartitionKey& known : kPartitionKeys) names.push_back(known.name);
        std::string text = "there is no option " + pair.key + " on a PartitionName line";
        if (const auto meant = nearest(pair.key, names)) text += "; did you mean " + *meant + "?";
        draft.error(line, pair, text);
    } else if (!pair.value) {
        draft.error(line, pair, pair.key + " has no value");
    } else if (key->set == nullptr) {
        draft.warning(line, pair, pair.key + "=" + *pair.value + " has no effect yet");
    } else {
        key->set(draft, line, pair, partition);
    }
}

// Memory that slurm.conf sets for all partitions.
void read_global_memory(Draft& draft, PartitionSpec& partition) {
    const Line line{.file = draft.slurm_conf, .number = 0, .pairs = {}};
    const auto take = [&](const char* key, std::optional<Bytes>& amount) {
        const Pair* pair = draft.global(key);
        if (pair != nullptr && !amount) amount = megabytes(draft, line, *pair);
    };
    if (!partition.default_memory_per_node) take("defmempercpu", partition.default_memory_per_cpu);
    if (!partition.default_memory_per_cpu) take("defmempernode", partition.default_memory_per_node);
    take("maxmempercpu", partition.max_memory_per_cpu);
    take("maxmempernode", partition.max_memory_per_node);
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
                partition_.nodes.push_back(NodeId::from_index(i));
            return;
        }
        add(*pair_.value, "Nodes=");
        std::vector<NodeId>& nodes = partition_.nodes;
        std::ranges::sort(nodes);
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }

private:
    void add(const std::string& list, const std::string& where) {
        const auto names = expand_hostlist(list);
        if (!names.ok()) return draft_.error(line_, pair_, names.error().message);
        for (const std::string& name : names.value()) {
            if (const auto node = draft_.spec.find_node(name)) {
                partition_.nodes.push_back(*node);
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
                    partition_.nodes.push_back(NodeId::from_index(i));
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
    read_global_memory(draft, partition);
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

}  // namespace berth::config
