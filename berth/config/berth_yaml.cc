// berth.yaml: what slurm.conf has no words for (accounts, users, QOS, operators), and nodes and
// partitions for those who have no slurm.conf. docs/formats.md describes it.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <set>

#include "berth/base/duration_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/draft.h"
#include "berth/config/fence_keys.h"
#include "berth/config/flavors.h"
#include "berth/config/notifications.h"
#include "berth/config/preempt_keys.h"
#include "berth/config/priority_classes.h"
#include "berth/config/queues.h"
#include "berth/model/limit_keys.h"
#include "berth/model/partition_keys.h"
#include "berth/policy/policy.h"

namespace berth::config {
namespace {

constexpr std::int64_t kNumberMax = 1'000'000'000'000;
constexpr std::size_t kYamlBytesMax = 4 * 1024 * 1024;

// yaml-cpp's plain names for the keys of node and partition lines.
struct Translation {
    std::string_view yaml, slurm;
};
constexpr auto kYamlNodeKeys = std::to_array<Translation>({
    {"name", "NodeName"},
    {"hostname", "NodeHostname"},
    {"address", "NodeAddr"},
    {"cpus", "CPUs"},
    {"sockets", "Sockets"},
    {"cores_per_socket", "CoresPerSocket"},
    {"threads_per_core", "ThreadsPerCore"},
    {"memory_mb", "RealMemory"},
    {"tmp_disk_mb", "TmpDisk"},
    {"gres", "Gres"},
    {"features", "Features"},
    {"weight", "Weight"},
});
std::vector<Translation> yaml_partition_keys() {
    std::vector<Translation> keys;
    for (const PartitionKey& key : partition_keys()) {
        if (!key.yaml.empty()) keys.push_back({key.yaml, key.name});
    }
    return keys;
}

// What a policy of its own may say: nothing about who and what there is.
constexpr auto kPolicyKeys = std::to_array<std::string_view>(
    {"order", "placement", "priority", "enforce_accounts", "enforce_limits", "hold_after"});

// Keys that have readers of their own.
using ReadSection = void (*)(Draft& draft, const std::string& file, const YAML::Node& node);
ReadSection section_of(std::string_view key) {
    if (key == "fence") return read_fence;
    if (key == "notifications") return read_notifications;
    if (key == "preemption") return note_preemption;
    if (key == "priority_classes") return read_priority_classes;
    if (key == "queues") return note_queues;
    if (key == "flavors") return note_flavors;
    return nullptr;
}

class YamlReader {
public:
    YamlReader(Draft& draft, std::string file, bool is_policy)
        : draft_(draft), file_(std::move(file)), is_policy_(is_policy) {}

    void read(const YAML::Node& root) {
        if (!root.IsMap()) {
            return error(
                root, "should be a map with cluster, nodes, partitions, accounts, qos, operators");
        }
        for (const auto& entry : root) {
            const auto key = entry.first.as<std::string>();
            if (is_policy_ && std::ranges::find(kPolicyKeys, key) == kPolicyKeys.end()) {
                error(entry.first,
                      "a policy has no " + key + "; it has " + join(kPolicyKeys, ", "));
            } else if (key == "cluster") {
                draft_.spec.name = scalar(entry.second);
            } else if (key == "nodes") {
                Line defaults;
                each(entry.second, [&](const YAML::Node& node) { read_node(node, defaults); });
            } else if (key == "partitions") {
                Line defaults;
                each(entry.second, [&](const YAML::Node& node) {
                    read_partition_line(draft_, translate(node, yaml_partition_keys()), defaults);
                });
            } else if (key == "accounts") {
                each(entry.second, [&](const YAML::Node& node) { read_account(node); });
            } else if (key == "qos") {
                each(entry.second, [&](const YAML::Node& node) { read_qos(node); });
            } else if (key == "operators") {
                each(entry.second, [&](const YAML::Node& node) {
                    draft_.spec.operators.push_back(scalar(node));
                });
            } else if (key == "order") {
                drop_rules("order");
                read_rule("order", entry.second);
            } else if (key == "placement") {
                drop_rules("placement");
                read_placement(entry.second);
            } else if (key == "priority") {
                read_priority(entry.second);
            } else if (key == "gpu_types") {
                read_gpu_types(entry.second);
            } else if (key == "licenses") {
                read_licenses_of(entry.second);
            } else if (key == "enforce_limits") {
                draft_.yaml.enforce_limits = flag(entry.second);
            } else if (key == "hold_after") {
                read_hold_after(entry.second);
            } else if (const ReadSection read_section = section_of(key)) {
                read_section(draft_, file_, entry.second);
            } else if (key == "remove_shared_memory") {
                draft_.spec.confinement.remove_shared_memory = flag(entry.second);
            } else if (key == "enforce_accounts") {
                draft_.spec.scheduling.enforce_accounts = flag(entry.second);
            } else {
                no_option(entry.first);
            }
        }
    }

private:
    void no_option(const YAML::Node& key) {
        error(key, "there is no option " + key.as<std::string>() +
                       "; there are cluster, nodes, partitions, accounts, qos, operators, order, "
                       "placement, priority, gpu_types, licenses, enforce_accounts, "
                       "enforce_limits, hold_after, preemption, priority_classes, flavors, queues, "
                       "fence, notifications, remove_shared_memory");
    }
    // licenses: {matlab: 4}
    void read_licenses_of(const YAML::Node& node) {
        if (!node.IsMap()) return error(node, "should be a map of names and numbers");
        for (const auto& one : node) {
            draft_.spec.licenses.push_back({.name = one.first.as<std::string>(),
                                            .total = number(one.second, 0, 1'000'000'000)});
        }
    }
    // hold_after: 1:00:00
    void read_hold_after(const YAML::Node& node) {
        const auto length = parse_time_limit(scalar(node));
        if (!length.ok()) return error(node, length.error().message);
        draft_.spec.scheduling.planning.hold_after = length.value().value_or(Duration::max());
    }
    void error(const YAML::Node& at, const std::string& message) {
        const int line = at.Mark().line;
        draft_.findings.add(Severity::error, file_,
                            line < 0 ? 0 : static_cast<std::size_t>(line) + 1, message);
    }
    std::string scalar(const YAML::Node& node) {
        if (node.IsScalar()) return node.Scalar();
        error(node, "should be a single value");
        return {};
    }
    bool flag(const YAML::Node& node) {
        const auto yes = parse_yes_no(scalar(node));
        if (!yes) error(node, "should be yes or no");
        return yes.value_or(false);
    }
    std::int64_t number(const YAML::Node& node, std::int64_t low, std::int64_t high) {
        const auto value = parse_int64(scalar(node));
        if (value.ok() && value.value() >= low && value.value() <= high) return value.value();
        error(node, "should be a whole number from " + std::to_string(low) + " to " +
                        std::to_string(high));
        return low;
    }
    template <class Read>
    void each(const YAML::Node& list, Read read) {
        if (!list.IsSequence())
            return error(list, "should be a list: each item begins with \"- \"");
        for (const auto& item : list) read(item);
    }
    // "[a, b]", or one value.
    std::vector<std::string> strings(const YAML::Node& node) {
        std::vector<std::string> all;
        if (node.IsScalar()) return {node.Scalar()};
        each(node, [&](const YAML::Node& item) { all.push_back(scalar(item)); });
        return all;
    }

    // A map as the line of slurm.conf that says the same, its name first.
    Line translate(const YAML::Node& map, std::span<const Translation> keys) {
        Line line{.file = file_,
                  .number = static_cast<std::size_t>(std::max(map.Mark().line, 0)) + 1,
                  .pairs = {}};
        line.pairs.push_back(
            {.key = std::string(keys.front().slurm), .value = std::nullopt, .line = line.number});
        if (!map.IsMap()) {
            error(map, "should be a map");
            return line;
        }
        for (const auto& entry : map) {
            const std::string key = scalar(entry.first);
            const auto known = std::ranges::find(keys, key, &Translation::yaml);
            if (known == keys.end()) {
                error(entry.first, "there is no option " + key + " here");
                continue;
            }
            Pair pair{.key = std::string(known->slurm),
                      .value = join(strings(entry.second), ","),
                      .line = static_cast<std::size_t>(std::max(entry.first.Mark().line, 0)) + 1};
            if (known == keys.begin()) {
                line.pairs.front() = pair;
            } else {
                line.pairs.push_back(std::move(pair));
            }
        }
        if (!line.pairs.front().value) error(map, "needs a name");
        return line;
    }
    void read_node(const YAML::Node& node, Line& defaults) {
        const Line line = translate(node, kYamlNodeKeys);
        if (const Pair* gres = line.find("Gres"); gres != nullptr && gres->value) {
            for (const auto one : split(*gres->value, ',')) {  // Here no GresTypes is needed.
                draft_.gres_types.emplace(trim(one.substr(0, one.find(':'))));
            }
        }
        read_node_line(draft_, line, defaults);
    }

    // {age: 1000, deadline: {weight: 5000, horizon: 3600}}
    void read_priority(const YAML::Node& node) {
        if (!node.IsMap()) return error(node, "should be a map of priority terms and weights");
        for (const auto& entry : node) {
            RuleSpec term{.kind = "priority", .name = scalar(entry.first)};
            if (!is_weighed(term.name)) {
                error(entry.first, term.name +
                                       " takes no weight here: PriorityWeightTRES of slurm.conf "
                                       "weighs tres; site and nice count one point each");
                continue;
            }
            if (entry.second.IsMap()) {
                if (!entry.second["weight"])
                    error(entry.first, term.name + " should have a weight, as {weight: 1000}");
                for (const auto& one : entry.second)
                    read_rule_key(scalar(one.first), one.second, term);
            } else {
                term.weight = number(entry.second, -kNumberMax, kNumberMax);
            }
            if (is_rule(entry.first, term)) draft_.yaml.priority_terms.push_back(std::move(term));
        }
    }
    // The name of a rule, or a map of `rule` and its settings, whole numbers all.
    // "spread", or {rule: spread, weight: 2, SETTING: NUMBER}.
    void read_rule(const char* kind, const YAML::Node& node) {
        RuleSpec rule{.kind = kind, .weight = 1};
        if (node.IsScalar()) {
            rule.name = node.Scalar();
        } else if (node.IsMap()) {
            for (const auto& entry : node) read_rule_key(scalar(entry.first), entry.second, rule);
        }
        if (rule.name.empty()) {
            return error(node, std::string("should be a rule of kind ") + kind +
                                   "; `berth policy list` names them");
        }
        if (is_rule(node, rule)) draft_.spec.scheduling.rules.push_back(std::move(rule));
    }
    bool is_rule(const YAML::Node& at, const RuleSpec& rule) {
        ClusterSpec alone;
        alone.scheduling.rules.push_back(rule);
        const auto policy = build_policy(alone);
        if (!policy.ok()) error(at, policy.error().message);
        return policy.ok();
    }
    // Those of a file read before.
    void drop_rules(std::string_view kind) {
        std::erase_if(draft_.spec.scheduling.rules,
                      [&](const RuleSpec& rule) { return rule.kind == kind; });
    }
    void read_rule_key(const std::string& key, const YAML::Node& value, RuleSpec& rule) {
        if (key == "rule") {
            rule.name = scalar(value);
        } else if (key == "weight") {
            rule.weight = number(value, -kNumberMax, kNumberMax);
        } else {
            rule.settings.emplace_back(key, number(value, -kNumberMax, kNumberMax));
        }
    }
    // One rule, or a list of them.
    void read_placement(const YAML::Node& node) {
        if (!node.IsSequence()) return read_rule("placement", node);
        for (const auto& rule : node) read_rule("placement", rule);
    }
    // A number, or "parent".
    template <class Owner>
    void read_shares(const YAML::Node& node, Owner& owner) {
        owner.shares_of_parent = node.IsScalar() && iequals(node.Scalar(), "parent");
        owner.shares = owner.shares_of_parent ? 1 : number(node, 0, 1'000'000'000);
    }
    // "a100: {memory: 80G, compute_capability: 8.0}"
    void read_gpu_types(const YAML::Node& map) {
        if (!map.IsMap()) return error(map, "should be a map from GPU types to their properties");
        for (const auto& type : map) {
            GpuType& known = draft_.gpu_types[to_lower(scalar(type.first))];
            if (!type.second.IsMap()) {
                error(type.second, "should be a map with memory, compute_capability");
                continue;
            }
            for (const auto& entry : type.second) {
                read_gpu_type_key(scalar(entry.first), entry.second, known);
            }
        }
    }
    void read_gpu_type_key(const std::string& key, const YAML::Node& value, GpuType& type) {
        if (key == "memory") {
            const auto size = parse_size(scalar(value));
            if (!size.ok()) return error(value, size.error().message);
            type.memory = size.value();
        } else if (key == "compute_capability") {
            const std::string text = scalar(value);
            const auto parts = split(text, '.');
            const auto major = parse_int64(parts[0]);
            const auto minor = parse_int64(parts.size() > 1 ? parts[1] : "0");
            if (parts.size() > 2 || !major.ok() || !minor.ok() || major.value() < 1 ||
                major.value() > 99 || minor.value() < 0 || minor.value() > 9) {
                return error(value, "should be like 8.0");
            }
            type.compute_capability =
                static_cast<std::uint32_t>(major.value() * 10 + minor.value());
        } else {
            error(value, "there is no option " + key +
                             " of a GPU type; there are memory, compute_capability");
        }
    }

    // A limit by its name; false: it is none.
    bool read_limit(const YAML::Node& key, const YAML::Node& value, unsigned of, Limits& limits) {
        const LimitKey* known = find_limit_yaml(scalar(key), of);
        if (known == nullptr) return false;
        const Status set = set_limit(limits, *known, join(strings(value), ","));
        if (!set.ok()) error(value, set.error().message);
        return true;
    }
    void read_user(const YAML::Node& user, const std::string& account) {
        AssociationSpec association{.account = account};
        if (user.IsScalar()) {
            association.user = user.Scalar();
        } else {
            for (const auto& entry : user) {
                const std::string key = scalar(entry.first);
                if (key == "name") {
                    association.user = scalar(entry.second);
                } else if (key == "shares") {
                    read_shares(entry.second, association);
                } else if (key == "priority") {
                    association.priority = number(entry.second, 0, 0xffff'ffff);
                } else if (key == "default") {
                    association.is_default = flag(entry.second);
                } else if (key == "qos") {
                    association.qos = strings(entry.second);
                } else if (key == "default_qos") {
                    association.default_qos = scalar(entry.second);
                } else if (!read_limit(entry.first, entry.second, kOfAssociation,
                                       association.limits)) {
                    error(entry.first,
                          "there is no option " + key +
                              " of a user; there are name, shares, priority, default, qos, "
                              "default_qos, and limits like max_jobs (docs/formats.md)");
                }
            }
        }
        if (association.user.empty()) return error(user, "a user needs a name");
        draft_.spec.associations.push_back(std::move(association));
    }
    void read_account(const YAML::Node& node) {
        AccountSpec account{.parent = "root"};
        if (!node.IsMap()) return error(node, "should be a map with name, parent, shares, users");
        for (const auto& entry : node) {
            const std::string key = scalar(entry.first);
            if (key == "name") {
                account.name = to_lower(scalar(entry.second));
            } else if (key == "parent") {
                account.parent = to_lower(scalar(entry.second));
            } else if (key == "shares") {
                read_shares(entry.second, account);
            } else if (key == "priority") {
                account.priority = number(entry.second, 0, 0xffff'ffff);
            } else if (key == "description") {
                account.description = scalar(entry.second);
            } else if (key == "organization") {
                account.organization = scalar(entry.second);
            } else if (key == "coordinators") {
                const std::vector<std::string> users = strings(entry.second);
                const std::set<std::string> each(users.begin(), users.end());
                account.coordinators.assign(each.begin(), each.end());
            } else if (key != "users" &&
                       !read_limit(entry.first, entry.second, kOfAssociation, account.limits)) {
                error(entry.first, "there is no option " + key +
                                       " of an account; there are name, parent, shares, "
                                       "priority, description, organization, coordinators, "
                                       "users, and limits like grp_tres (docs/formats.md)");
            }
        }
        if (account.name.empty()) return error(node, "an account needs a name");
        if (std::ranges::find(draft_.spec.accounts, account.name, &AccountSpec::name) !=
            draft_.spec.accounts.end()) {
            return error(node, "account " + account.name + " is described twice");
        }
        if (account.parent != "root" &&
            std::ranges::find(draft_.spec.accounts, account.parent, &AccountSpec::name) ==
                draft_.spec.accounts.end()) {
            error(node, "account " + account.name + " is under " + account.parent +
                            ", which is not described above it");
        }
        if (const YAML::Node users = node["users"]) {
            each(users, [&](const YAML::Node& user) { read_user(user, account.name); });
        }
        draft_.spec.accounts.push_back(std::move(account));
    }
    void read_qos(const YAML::Node& node) {
        QosSpec qos;
        if (!node.IsMap()) return error(node, "should be a map with name, priority, max_wall");
        if (node["name"]) qos.name = scalar(node["name"]);
        for (const auto& entry : node) {
            const std::string key = scalar(entry.first);
            if (key == "name") continue;
            if (key == "priority") {
                qos.priority = number(entry.second, 0, 0xffff'ffff);
            } else if (key == "usage_factor_ppm") {
                qos.usage_factor = Ppm(number(entry.second, 0, 1'000'000'000));
            } else if (key == "max_wall") {
                const auto limit = parse_time_limit(scalar(entry.second));
                if (limit.ok()) {
                    qos.max_wall = limit.value();
                } else {
                    error(entry.second, limit.error().message);
                }
            } else if (key == "deny_on_limit") {
                qos.deny_on_limit = flag(entry.second);
            } else if (key == "over_partition_qos") {
                qos.over_partition_qos = flag(entry.second);
            } else if (key == "description") {
                qos.description = scalar(entry.second);
            } else if (!read_qos_preemption(draft_, file_, entry.first, entry.second, qos) &&
                       !read_limit(entry.first, entry.second, kOfQos, qos.limits)) {
                error(entry.first, "there is no option " + key +
                                       " of a QOS; there are name, priority, max_wall, "
                                       "usage_factor_ppm, deny_on_limit, over_partition_qos, "
                                       "description, preempt, preempt_mode, grace_time, "
                                       "preempt_exempt, and limits like max_tres_per_user "
                                       "(docs/formats.md)");
            }
        }
        if (qos.name.empty()) return error(node, "a QOS needs a name");
        const auto known = std::ranges::find(draft_.spec.qos, qos.name, &QosSpec::name);
        if (known == draft_.spec.qos.end()) {
            draft_.spec.qos.push_back(std::move(qos));
        } else {
            *known = std::move(qos);  // "normal" is there from the start.
        }
    }

    Draft& draft_;
    std::string file_;
    bool is_policy_;
};

}  // namespace

void read_berth_yaml(Draft& draft, const ConfigText& source, bool is_policy) {
    if (source.text.size() > kYamlBytesMax) {
        return draft.findings.add(Severity::error, source.name, 0,
                                  "is larger than 4 MiB, the limit for a configuration file");
    }
    try {  // yaml-cpp speaks in exceptions; they end here.
        const YAML::Node root = YAML::Load(source.text);
        if (root.IsDefined() && !root.IsNull())
            YamlReader(draft, source.name, is_policy).read(root);
    } catch (const YAML::Exception& wrong) {
        const int line = wrong.mark.line;
        draft.findings.add(Severity::error, source.name,
                           line < 0 ? 0 : static_cast<std::size_t>(line) + 1, wrong.msg);
    }
}

}  // namespace berth::config
