// The configuration of Volcano's scheduler: its actions become `preemption`, its plugins are what
// Berth does anyway, `order` and `placement`, or refused by name.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/kube_fields.h"
#include "berth/config/kube_volcano.h"

namespace berth::config {
namespace {

// What becomes of an action. Stages of one number have no order among each other.
struct VolcanoAction {
    std::string_view name;
    int stage;
    const char* warning;  // Why it has no meaning here; null: it has one.
};
constexpr auto kVolcanoActions = std::to_array<VolcanoAction>({
    {"enqueue", 0, nullptr},
    {"allocate", 1, nullptr},
    {"backfill", 2, nullptr},
    {"preempt", 3, nullptr},
    {"reclaim", 3, nullptr},
    {"gangpreempt", 3, nullptr},
    {"gangreclaim", 3, nullptr},
    {"elect", 4, "has no effect: each job that waits has a planned start"},
    {"reserve", 4, "has no effect: each job that waits has a planned start"},
});

enum class PluginUse : unsigned char { has_meaning, ignored, refused };
struct VolcanoPlugin {
    std::string_view name;
    PluginUse use;
    const char* text;  // Why it is ignored; what would be right instead of it, or of its arguments.
};
constexpr auto kVolcanoPlugins = std::to_array<VolcanoPlugin>({
    {"priority", PluginUse::has_meaning, "without them"},
    {"gang", PluginUse::has_meaning, "without them"},
    {"conformance", PluginUse::has_meaning, "without them"},
    {"predicates", PluginUse::has_meaning, "without them: gres.conf says how GPUs are shared"},
    {"proportion", PluginUse::has_meaning, "without them"},
    {"capacity", PluginUse::has_meaning, "without them"},
    {"drf", PluginUse::has_meaning, "without them"},
    {"nodeorder", PluginUse::has_meaning, "rules with weights in placement: of berth.yaml"},
    {"binpack", PluginUse::has_meaning, "rules with weights in placement: of berth.yaml"},
    {"overcommit", PluginUse::ignored, "each job that the cluster could run may wait"},
    {"reservation", PluginUse::ignored, "each job that waits has a planned start"},
    {"numaaware", PluginUse::ignored, "jobs have cores near their GPUs"},
    {"network-topology-aware", PluginUse::ignored, "topology.conf says where switches are"},
    {"cdp", PluginUse::refused, "exempt: in preemption: of berth.yaml"},
    {"deviceshare", PluginUse::refused, "shares of GPUs in gres.conf (mps, shard, gpumem)"},
    {"extender", PluginUse::refused, "the rules that `berth policy list` names"},
    {"nodegroup", PluginUse::refused, "partitions with AllowAccounts="},
    {"pdb", PluginUse::refused, "allow_preemption: no of queues"},
    {"rescheduling", PluginUse::refused, "without it: running jobs are not moved"},
    {"resource-strategy-fit", PluginUse::refused, "placement: in berth.yaml"},
    {"resourcequota", PluginUse::refused, "quotas of queues"},
    {"sla", PluginUse::refused, "--berth-max-wait of jobs"},
    {"task-topology", PluginUse::refused, "--berth-affinity of jobs"},
    {"tdm", PluginUse::refused, "reservations"},
    {"usage", PluginUse::refused, "placement: least_loaded in berth.yaml"},
});

constexpr auto kPluginFunctions = std::to_array<std::string_view>(
    {"enableJobOrder", "enableNamespaceOrder", "enableJobReady", "enableJobPipelined",
     "enableTaskOrder", "enablePreemptable", "enableReclaimable", "enableQueueOrder",
     "enablePredicate", "enableBestNode", "enableNodeOrder", "enableJobEnqueued", "enabledVictim",
     "enableJobStarving"});

class ConfigurationReader {
public:
    ConfigurationReader(KubeFindings& findings, const KubeText& text, const YAML::Node& node)
        : findings_(findings), conf_(findings, text, node, kVolcanoConfiguration) {}

    void read(KubeDescription& into) {
        read_actions();
        for (const YAML::Node& node : conf_.read_list("tiers")) {
            KubeFields tier(findings_, conf_.text(), node, "tier");
            for (const YAML::Node& plugin : tier.read_list("plugins")) read_plugin(plugin);
            tier.finish();
        }
        conf_.refuse("configurations", "without it: actions have no settings");
        conf_.ignore("metrics", "has no effect: agents read their GPUs themselves");
        conf_.finish();
        judge_preemption(into);
        judge_order(into);
    }

private:
    bool has_action(std::string_view name) const {
        return std::ranges::find(actions_, name) != actions_.end();
    }
    bool has_plugin(std::string_view name) const {
        return std::ranges::find(plugins_, name) != plugins_.end();
    }

    void read_actions() {
        const std::string text = conf_.read_text("actions");
        int stage = 0;
        bool in_order = true;
        for (const auto part : split(text, ',')) {
            const std::string name(trim(part));
            const auto known = std::ranges::find(kVolcanoActions, name, &VolcanoAction::name);
            if (known == kVolcanoActions.end()) {
                conf_.error("actions", "'" + name +
                                           "' is not imported; there are enqueue, "
                                           "allocate, backfill, preempt, reclaim, gangpreempt, "
                                           "gangreclaim");
                continue;
            }
            if (has_action(name)) conf_.error("actions", name + " stands there twice");
            if (known->warning != nullptr) conf_.warning("actions", name + " " + known->warning);
            in_order = in_order && known->stage >= stage;
            stage = known->stage;
            actions_.push_back(name);
        }
        if (!has_action("allocate"))
            conf_.error("actions", "should have allocate: without it no job would start");
        for (const char* const name : {"enqueue", "backfill"}) {
            if (!has_action(name)) {
                conf_.warning("actions", std::string(name) +
                                             " is missing; it cannot be switched off here, where "
                                             "every job may wait and every job asks for a CPU");
            }
        }
        if (in_order) return;
        conf_.warning("actions",
                      "the order is Berth's own: jobs start where there is room, and only then "
                      "preempt and reclaim");
    }

    void read_plugin(const YAML::Node& node) {
        KubeFields plugin(findings_, conf_.text(), node, "plugin");
        const std::string name = plugin.read_text("name");
        plugin.rename("plugin " + name);
        const auto known = std::ranges::find(kVolcanoPlugins, name, &VolcanoPlugin::name);
        if (known == kVolcanoPlugins.end()) {
            return plugin.error("name", "there is no such plugin of Volcano that Berth knows");
        }
        const std::string text = known->text;
        if (known->use == PluginUse::refused)
            return plugin.error("name", "is not imported; right would be: " + text);
        if (has_plugin(name)) plugin.error("name", "stands there twice");
        plugins_.push_back(name);
        KubeFields arguments = plugin.read_map("arguments");
        if (known->use == PluginUse::ignored) {
            plugin.warning("name", "has no effect: " + text);
            for (const std::string& key : arguments.unread()) arguments.read(key);
        }
        for (const std::string& key : arguments.unread()) arguments.refuse(key, text);
        read_functions(plugin, name);
        plugin.finish();
    }

    // Functions of a plugin that are switched off, or that are off without it.
    void read_functions(KubeFields& plugin, const std::string& name) {
        if (plugin.read_flag("enableHierarchy").value_or(false) && name != "capacity") {
            plugin.error("enableHierarchy",
                         "is not imported; right would be: parent: of the queues, with the plugin "
                         "capacity here, or with order: hierarchical_drf in berth.yaml");
        }
        for (const std::string_view function : kPluginFunctions) {
            if (plugin.read_flag(function).value_or(true)) continue;
            const bool is_victims =
                function == "enablePreemptable" || function == "enableReclaimable";
            if (is_victims && (name == "gang" || name == "drf")) {
                if (name == "gang") freed_.emplace_back(function);
                continue;
            }
            plugin.error(function,
                         "false is not imported; right would be: without it, or without "
                         "the plugin");
        }
    }

    void judge_preemption(KubeDescription& into) {
        const KubePlace place = conf_.place_of("actions");
        KubePreemption preemption{.place = place, .queue = {}};
        preemption.within = has_action("preempt") || has_action("gangpreempt");
        preemption.reclaims = has_action("reclaim") || has_action("gangreclaim");
        if (preemption.within && !has_plugin("priority")) {
            conf_.error("actions",
                        "preempt without the plugin priority chooses runs by shares; "
                        "right would be: with it");
        }
        const auto is_freed = [&](const char* function) {
            return std::ranges::find(freed_, function) != freed_.end();
        };
        const bool spares = (has_action("preempt") && !is_freed("enablePreemptable")) ||
                            (has_action("reclaim") && !is_freed("enableReclaimable"));
        if (has_plugin("gang") && spares) {
            conf_.warning("tiers",
                          "the plugin gang protects running gangs from preempt and reclaim; here "
                          "they end as a whole, as with gangpreempt and gangreclaim");
        }
        into.preemption.push_back(preemption);
    }

    void judge_order(KubeDescription& into) {
        if (has_plugin("proportion") && has_plugin("capacity")) {
            conf_.error("tiers", "proportion and capacity exclude each other, as in Volcano");
        }
        if (!has_plugin("priority")) {
            conf_.warning("tiers",
                          "the plugin priority is missing; it cannot be switched off "
                          "here, where a job's priority counts");
        }
        const auto priority = std::ranges::find(plugins_, "priority");
        const auto drf = std::ranges::find(plugins_, "drf");
        if (drf != plugins_.end() && priority < drf) {
            conf_.warning("tiers",
                          "drf orders jobs of equal priority by the shares of their jobs; "
                          "here fair share does, or the time of submission");
        } else if (drf != plugins_.end()) {
            into.order = "{rule: drf, by_account: 1}";
        }
        if (has_plugin("binpack")) {
            into.placement = "pack";
            if (has_plugin("nodeorder")) {
                conf_.warning("tiers",
                              "binpack and nodeorder pull in opposite directions; "
                              "placement: pack is what binpack means");
            }
        } else if (has_plugin("nodeorder")) {
            into.placement = "spread";
        }
    }

    KubeFindings& findings_;
    KubeFields conf_;
    std::vector<std::string> actions_, plugins_;
    std::vector<std::string> freed_;  // Functions of gang that are switched off.
};

}  // namespace

void read_volcano_configuration(KubeFindings& findings, const KubeText& text,
                                const YAML::Node& node, KubeDescription& into) {
    ConfigurationReader(findings, text, node).read(into);
}

void read_volcano_config_map(KubeFindings& findings, const KubeObject& object,
                             KubeDescription& into) {
    constexpr const char* kConf = "volcano-scheduler.conf";
    KubeHead head;
    KubeFields top = open_object(findings, object, head);
    KubeFields maps = top.read_map("data");
    const YAML::Node conf = maps.read(kConf);
    if (conf.IsNull()) {
        return findings.warning(object.place,
                                "ConfigMap " + head.name + " has no " + kConf + ": skipped");
    }
    top.ignore("immutable", "no meaning here");
    maps.finish();
    top.finish();
    if (!conf.IsScalar()) return maps.error(kConf, "should be a text, after '|'");
    const KubeText inner = text_within(object.text, conf);
    try {  // yaml-cpp speaks in exceptions; they end here.
        if (const auto line = second_document(conf.Scalar())) {
            return findings.error({.file = inner.file, .line = inner.before + *line},
                                  "Volcano reads the first document alone; right would be: one");
        }
        read_volcano_configuration(findings, inner, YAML::Load(conf.Scalar()), into);
    } catch (const YAML::Exception& wrong) {
        const int line = std::max(wrong.mark.line, 0) + 1;
        findings.error({.file = inner.file, .line = inner.before + static_cast<std::size_t>(line)},
                       wrong.msg);
    }
}

}  // namespace berth::config
