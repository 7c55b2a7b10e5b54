#include "berth/config/kube_flavors.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/config/kube_resources.h"

namespace berth::config {
namespace {

// How surely a label says the type of the nodes' GPUs: their product before all else. nullopt: it
// says something else.
std::optional<int> rank_of_label(std::string_view key) {
    const std::string name = to_lower(key.substr(key.rfind('/') + 1));
    if (name.ends_with(".product")) return 0;
    if (name == "accelerator" || name.ends_with("-accelerator")) return 1;
    if (name == "gpu-type" || name == "gpu_type") return 2;
    return std::nullopt;
}

bool is_gpu_type(std::string_view type) {
    return !type.empty() && std::ranges::all_of(type, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    });
}

// What may be a feature of nodes in slurm.conf.
bool is_feature(std::string_view value) {
    return !value.empty() && std::ranges::all_of(value, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
}

// Labels that say nothing of GPUs are features of the nodes, by their values.
void take_features(KubeFields& labels, const std::vector<std::pair<std::string, std::string>>& all,
                   ResourceFlavor& flavor) {
    for (const auto& [key, value] : all) {
        if (key.starts_with("nvidia.com/") || key.starts_with("amd.com/")) {
            labels.error(key,
                         "none names the type of GPU of these nodes; right would be: "
                         "nvidia.com/gpu.product, or a label of one's own");
        } else if (!is_feature(value)) {
            labels.error(key, value + " should be of letters, digits, '-', '_', '.': nodes have " +
                                  "it as a feature here");
        } else {
            flavor.features.push_back(value);
        }
    }
    if (flavor.features.empty()) return;
    labels.warning("labels", "its nodes are those with Feature=" + join(flavor.features, ",") +
                                 " in slurm.conf");
}

void read_node_labels(KubeFields labels, ResourceFlavor& flavor) {
    std::string best, product;
    std::optional<int> rank;
    std::vector<std::pair<std::string, std::string>> others;
    for (const std::string& key : labels.unread()) {
        const std::string value = labels.read_text(key);
        const auto own = rank_of_label(key);
        if (!own) others.emplace_back(key, value);
        if (!own || (rank && *own >= *rank)) continue;
        rank = own;
        best = key;
        product = value;
    }
    if (!rank) return take_features(labels, others, flavor);
    if (!others.empty()) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : others) keys.push_back(key);
        labels.warning("labels", join(keys, ", ") +
                                     ": the quota is of all GPUs of the type, whatever these say");
    }
    if (to_lower(product).ends_with("-shared")) {
        return labels.error(best, product +
                                      " is a GPU that is shared in turns; right would be: "
                                      "shares of GPUs in gres.conf (mps, shard, gpumem)");
    }
    flavor.gpu_type = gpu_type_in(product);
    if (!is_gpu_type(flavor.gpu_type)) {
        labels.error(best, product + " should name a type of GPU, like NVIDIA-A100-SXM4-80GB");
    }
}

// A taint keeps jobs off that do not tolerate it; the flavor's own tolerations let all of them on.
bool is_tolerated(const YAML::Node& taint, const std::vector<YAML::Node>& tolerations) {
    const auto word = [](const YAML::Node& map, const char* key) {
        if (!map.IsMap()) return std::string();
        const YAML::Node value = map[key];
        return value.IsDefined() && value.IsScalar() ? value.Scalar() : std::string();
    };
    if (word(taint, "effect") == "PreferNoSchedule") return true;
    return std::ranges::any_of(tolerations, [&](const YAML::Node& one) {
        const std::string key = word(one, "key"), effect = word(one, "effect");
        const bool exists = word(one, "operator") == "Exists";
        return (key == word(taint, "key") || (key.empty() && exists)) &&
               (effect.empty() || effect == word(taint, "effect")) &&
               (exists || word(one, "value") == word(taint, "value"));
    });
}

class GroupsReader {
public:
    GroupsReader(KubeFindings& findings, KubeFields& spec, bool may_lend)
        : findings_(findings), spec_(spec), may_lend_(may_lend) {}

    std::vector<FlavorQuota> read() {
        for (const YAML::Node& node : spec_.read_list("resourceGroups")) {
            KubeFields group(findings_, spec_.text(), node, "resourceGroups of " + spec_.what());
            read_group(group);
            group.finish();
        }
        return std::move(quotas_);
    }

private:
    // True: the name was there already.
    static bool is_again(std::vector<std::string>& names, const std::string& name) {
        const bool again = std::ranges::find(names, name) != names.end();
        names.push_back(name);
        return again;
    }

    void read_group(KubeFields& group) {
        const std::vector<std::string> covered = group.read_texts("coveredResources");
        if (covered.empty()) group.error("coveredResources", "should name resources");
        for (const std::string& resource : covered) {
            if (is_again(covered_, resource))
                group.error("coveredResources", resource + " is covered twice");
        }
        const auto flavors = group.read_list("flavors");
        if (flavors.empty()) group.error("flavors", "should be flavors with quotas");
        for (const YAML::Node& node : flavors) {
            KubeFields flavor(findings_, spec_.text(), node, "flavor");
            const std::string name = flavor.read_text("name");
            flavor.rename("flavor " + name + " of " + spec_.what());
            if (name.empty()) flavor.error("name", "is missing");
            if (is_again(flavors_, name)) flavor.error("name", "stands there twice");
            read_resources(flavor, name, covered);
            flavor.finish();
        }
    }

    void read_resources(KubeFields& flavor, const std::string& name,
                        const std::vector<std::string>& covered) {
        std::vector<std::string> found;
        for (const YAML::Node& node : flavor.read_list("resources")) {
            KubeFields one(findings_, spec_.text(), node, "resource of " + flavor.what());
            FlavorQuota quota{.place = one.place(),
                              .flavor = name,
                              .resource = {},
                              .nominal = {},
                              .borrow = {},
                              .lend = {}};
            quota.resource = one.read_text("name");
            one.rename("resource " + quota.resource + " of " + flavor.what());
            if (is_again(found, quota.resource)) one.error("name", "stands there twice");
            if (std::ranges::find(covered, quota.resource) == covered.end())
                one.error("name", "is not among coveredResources");
            quota.nominal = one.read_text("nominalQuota");
            if (quota.nominal.empty()) one.error("nominalQuota", "is missing; 0 is none");
            quota.borrow = read_limit(one, "borrowingLimit");
            quota.lend = read_limit(one, "lendingLimit");
            one.finish();
            if (!quota.nominal.empty()) quotas_.push_back(std::move(quota));
        }
        for (const std::string& resource : covered) {
            if (std::ranges::find(found, resource) != found.end()) continue;
            flavor.error("resources", resource + " is covered and has no quota here; 0 is none");
        }
    }

    std::string read_limit(KubeFields& resource, const char* key) {
        std::string limit = resource.read_text(key);
        if (limit.empty() || may_lend_) return limit;
        resource.error(key, "has no meaning outside of a cohort; right would be: without it");
        return {};
    }

    KubeFindings& findings_;
    KubeFields& spec_;
    bool may_lend_;
    std::vector<FlavorQuota> quotas_;
    std::vector<std::string> covered_, flavors_;  // Of all groups.
};

struct FlavorSum {
    std::int64_t nominal = 0, borrow = 0, lend = 0;
    bool borrows_all = false;  // One of the flavors has no limit.
    bool lends_less = false;   // One of the flavors has one.
    std::vector<std::string> flavors;
    std::string resource;
};

// A quantity of the quota, or an error and nothing.
std::int64_t count_of_quota(KubeFindings& findings, const FlavorQuota& quota,
                            const std::string& tres, const std::string& quantity) {
    const auto count = count_of_tres(tres, quantity);
    if (count.ok()) return *count;
    findings.error(quota.place,
                   quota.resource + " of flavor " + quota.flavor + ": " + count.error().message);
    return 0;
}

// As berth.yaml may call it: by no name of a type of GPU.
std::string name_of_flavor(const ResourceFlavors& flavors, const std::string& name) {
    const bool is_type =
        std::ranges::any_of(flavors, [&](const auto& one) { return one.second.gpu_type == name; });
    return is_type ? name + "-nodes" : name;
}

// GPUs by their type; all else by the flavor.
std::string tres_in_flavor(const std::string& resource, const std::string& name,
                           const ResourceFlavor& flavor) {
    if (!flavor.has_labels() || resource.starts_with("license/")) return resource;
    if (resource.find(':') != std::string::npos) return resource;  // It has a type by itself.
    const bool by_type = resource == "gres/gpu" && !flavor.gpu_type.empty();
    return resource + ":" + (by_type ? flavor.gpu_type : name);
}

}  // namespace

void read_resource_flavor(KubeFindings& findings, const KubeObject& object, ResourceFlavors& into) {
    KubeHead head;
    KubeFields top = open_object(findings, object, head);
    KubeFields spec = top.read_map("spec");
    top.finish();
    ResourceFlavor flavor;
    read_node_labels(spec.read_map("nodeLabels"), flavor);
    const auto tolerations = spec.read_list("tolerations");
    for (const YAML::Node& taint : spec.read_list("nodeTaints")) {
        if (is_tolerated(taint, tolerations)) continue;
        spec.error("nodeTaints",
                   "keep jobs off that do not tolerate them; right would be: without "
                   "them, and a partition of these nodes with AllowAccounts=");
    }
    if (spec.says("nodeTaints")) spec.warning("nodeTaints", "nodes have no taints here");
    if (spec.says("tolerations")) spec.warning("tolerations", "nodes have no taints here");
    spec.ignore("topologyName", "topology.conf says where switches are");
    spec.ignore("resourceWeights", "PriorityWeightTRES and TRESBillingWeights weigh TRES here");
    spec.finish();
    if (!into.try_emplace(head.name, flavor).second) {
        findings.error(object.place, "ResourceFlavor " + head.name + " already exists: one may be");
    }
}

std::vector<FlavorQuota> read_resource_groups(KubeFindings& findings, KubeFields& spec,
                                              bool may_lend) {
    return GroupsReader(findings, spec, may_lend).read();
}

void take_flavor_quotas(KubeFindings& findings, const ResourceFlavors& flavors,
                        const std::vector<FlavorQuota>& quotas, KubeQueue& queue) {
    std::map<std::string, FlavorSum> sums;  // By TRES.
    for (const FlavorQuota& quota : quotas) {
        const auto flavor = flavors.find(quota.flavor);
        if (flavor == flavors.end()) {
            findings.error(quota.place, "ResourceFlavor " + quota.flavor +
                                            " not found; right would be: its object in the files");
            continue;
        }
        const auto resource = tres_of_resource(quota.resource);
        if (!resource.ok()) {
            findings.error(quota.place, resource.error().message);
            continue;
        }
        const std::string tres =
            tres_in_flavor(*resource, name_of_flavor(flavors, flavor->first), flavor->second);
        FlavorSum& sum = sums[tres];
        if (sum.resource.empty()) sum.resource = quota.resource;
        if (sum.resource != quota.resource) {
            findings.error(quota.place, quota.resource + " is " + tres + ", and so is " +
                                            sum.resource + "; right would be: one of them");
        }
        const std::int64_t nominal = count_of_quota(findings, quota, tres, quota.nominal);
        sum.nominal += nominal;
        sum.borrows_all = sum.borrows_all || quota.borrow.empty();
        sum.lends_less = sum.lends_less || !quota.lend.empty();
        if (!quota.borrow.empty())
            sum.borrow += count_of_quota(findings, quota, tres, quota.borrow);
        sum.lend +=
            quota.lend.empty() ? nominal : count_of_quota(findings, quota, tres, quota.lend);
        sum.flavors.push_back(quota.flavor);
    }
    QueueSpec& spec = queue.quota;
    for (const auto& [tres, sum] : sums) {
        spec.nominal = changed(spec.nominal, {{tres, sum.nominal}});
        if (!sum.borrows_all) spec.borrow_max = changed(spec.borrow_max, {{tres, sum.borrow}});
        if (sum.lends_less) spec.lend_max = changed(spec.lend_max, {{tres, sum.lend}});
        if (sum.flavors.size() == 1) continue;
        findings.warning(queue.place, queue.kind + " " + spec.name + ": " + tres +
                                          " of the flavors " + join(sum.flavors, ", ") +
                                          " is one quota here, wherever the jobs run: " +
                                          berth::to_text(TresLimits{{tres, sum.nominal}}));
    }
}

std::vector<FlavorSpec> named_flavors(const ResourceFlavors& flavors,
                                      const std::vector<const QueueSpec*>& queues) {
    std::vector<FlavorSpec> named;
    for (const auto& [kube_name, flavor] : flavors) {
        const std::string name = name_of_flavor(flavors, kube_name);
        const auto names_it = [&](const TresLimits& counts) {
            return std::ranges::any_of(counts, [&](const auto& one) {
                return one.first.ends_with(":" + name) && flavor.has_labels();
            });
        };
        if (std::ranges::any_of(queues, [&](const QueueSpec* queue) {
                return names_it(queue->nominal) || names_it(queue->limit);
            })) {
            named.push_back({.name = name,
                             .nodes = {},
                             .features = flavor.features,
                             .gpu_type = flavor.gpu_type});
        }
    }
    return named;
}

}  // namespace berth::config
