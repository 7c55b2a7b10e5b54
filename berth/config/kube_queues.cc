#include "berth/config/kube_queues.h"

#include <algorithm>
#include <array>
#include <map>

#include "berth/base/text.h"
#include "berth/config/kube_kueue.h"
#include "berth/config/kube_priority.h"
#include "berth/config/kube_tree.h"
#include "berth/config/kube_volcano.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/queue_options.h"

namespace berth::config {
namespace {

// Words that YAML's readers take for something else.
constexpr auto kYamlWords =
    std::to_array<std::string_view>({"null", "true", "false", "yes", "no", "on", "off", "y", "n"});

void read_kube_object(KubeFindings& findings, const KubeObject& object, KueueReader& kueue,
                      KubeDescription& into) {
    const auto is_of = [&](const std::string& right, bool is_right) {
        if (is_right) return true;
        findings.error(object.place,
                       object.kind + " of " + (object.api.empty() ? "no apiVersion" : object.api) +
                           " is not imported; right would be: " + object.kind + " of " + right);
        return false;
    };
    const std::string& kind = object.kind;
    if (kind == kVolcanoConfiguration) {
        read_volcano_configuration(findings, object.text, object.node, into);
    } else if (kind == "Queue") {
        if (is_of(kVolcanoQueueApi, object.api == kVolcanoQueueApi))
            read_volcano_queue(findings, object, into);
    } else if (kind == "PriorityClass") {
        if (is_of(kPriorityClassApi, object.api == kPriorityClassApi))
            read_kube_priority_class(findings, object, into);
    } else if (kind == "ConfigMap") {
        if (is_of("v1", object.api == "v1")) read_volcano_config_map(findings, object, into);
    } else if (kind == "ClusterQueue" || kind == "LocalQueue" || kind == "Cohort" ||
               kind == "ResourceFlavor") {
        if (is_of("kueue.x-k8s.io/v1beta1 or v1beta2", is_kueue_api(object))) kueue.read(object);
    } else if (kind == "WorkloadPriorityClass") {
        findings.error(object.place, kind + " is not imported; right would be: PriorityClass of " +
                                         kPriorityClassApi);
    } else if (kind == "ResourceQuota" || kind == "LimitRange") {
        findings.error(object.place, kind + " is not imported; right would be: queues with quotas");
    } else {
        findings.warning(object.place, kind +
                                           " is no queue, no priority class and no "
                                           "configuration of a scheduler: skipped");
    }
}

std::string yaml_word(const std::string& text) {
    const bool is_plain = !text.empty() && text.front() >= 'a' &&
                          std::ranges::all_of(text,
                                              [](char c) {
                                                  return (c >= 'a' && c <= 'z') ||
                                                         (c >= '0' && c <= '9') || c == '-' ||
                                                         c == '.';
                                              }) &&
                          std::ranges::find(kYamlWords, text) == kYamlWords.end();
    return is_plain ? text : "'" + text + "'";
}

std::string accounts_text(const std::vector<ImportedQueue>& queues) {
    std::string text;
    for (const ImportedQueue& one : queues) {
        text += "  - {name: " + yaml_word(one.quota.name);
        if (one.parent != "root") text += ", parent: " + yaml_word(one.parent);
        if (one.shares.value_or(1) != 1) text += ", shares: " + std::to_string(*one.shares);
        text += "}\n";
    }
    return text.empty() ? text : "accounts:\n" + text;
}

std::string queues_text(const std::vector<ImportedQueue>& queues) {
    std::string text;
    for (const ImportedQueue& one : queues) {
        std::string options;
        for (const auto& [option, value] : options_of(one.quota)) {
            options.append(options.empty() ? "" : ", ").append(option).append(": ");
            // A switch is a plain word.
            options += option == "allow_preemption" ? value : yaml_word(value);
        }
        if (!options.empty()) text += "  " + yaml_word(one.quota.name) + ": {" + options + "}\n";
    }
    return text.empty() ? text : "queues:\n" + text;
}

std::string flavors_text(const std::vector<FlavorSpec>& flavors) {
    std::string text;
    for (const FlavorSpec& one : flavors) {
        text += "  " + yaml_word(one.name) + ": {";
        if (!one.gpu_type.empty()) text += "gpu_type: " + yaml_word(one.gpu_type);
        if (!one.features.empty()) {
            std::vector<std::string> words;
            for (const std::string& feature : one.features) words.push_back(yaml_word(feature));
            text += std::string(one.gpu_type.empty() ? "" : ", ") + "features: [" +
                    join(words, ", ") + "]";
        }
        text += "}\n";
    }
    return text.empty() ? text : "flavors:\n" + text;
}

std::string classes_text(const std::vector<PriorityClassSpec>& classes) {
    std::string text;
    for (const PriorityClassSpec& one : classes) {
        text += "  " + yaml_word(one.name) + ": {value: " + std::to_string(one.value);
        if (one.global_default) text += ", global_default: yes";
        if (!one.preempts) text += ", preemption_policy: Never";
        text += "}\n";
    }
    return text.empty() ? text : "priority_classes:\n" + text;
}

// The quotas of the files, in place of those that the queue has; the other options as they are,
// but for those that an earlier import may have left.
QueueSpec merged_queue(const QueueSpec& before, const QueueSpec& now) {
    QueueSpec queue = before;
    queue.nominal = now.nominal;
    queue.guarantee = now.guarantee;
    queue.limit = now.limit;
    queue.lend_max = now.lend_max;
    queue.borrow_max = now.borrow_max;
    queue.borrow_ratio_max = now.borrow_ratio_max;
    if (now.allow_preemption) queue.allow_preemption = now.allow_preemption;
    const bool keeps_own = before.allow_preempt_from == std::vector<std::string>{now.name};
    if (keeps_own || !now.allow_preempt_from.empty())
        queue.allow_preempt_from = now.allow_preempt_from;
    const bool is_closed = before.jobs_max == std::optional<std::uint32_t>(0);
    if (is_closed || now.jobs_max) queue.jobs_max = now.jobs_max;
    return queue;
}

// By the names in small letters; of those that are alike, the first.
template <class Spec>
using ByFoldedName = std::map<std::string, const Spec*>;

template <class Spec>
ByFoldedName<Spec> by_folded_name(const std::vector<Spec>& specs) {
    ByFoldedName<Spec> map;
    for (const Spec& one : specs) map.try_emplace(to_lower(one.name), &one);
    return map;
}

template <class Spec>
const Spec* found_in(const ByFoldedName<Spec>& map, const std::string& name) {
    const auto found = map.find(to_lower(name));
    return found == map.end() ? nullptr : found->second;
}

}  // namespace

QueueImport import_queues(const std::vector<ConfigText>& files) {
    KubeFindings findings;
    KubeDescription description;
    KueueReader kueue(findings);
    for (const KubeObject& object : read_kube_objects(findings, files))
        read_kube_object(findings, object, kueue, description);
    kueue.finish(description);
    const std::string preemption = settle_preemption(findings, description);
    QueueImport result;
    result.queues = build_queue_tree(findings, description);
    std::string settings = flavors_text(description.flavors) + classes_text(description.classes);
    if (!preemption.empty()) settings += "preemption: " + preemption + "\n";
    if (!description.order.empty()) settings += "order: " + description.order + "\n";
    if (!description.placement.empty()) settings += "placement: " + description.placement + "\n";
    result.has_settings = !settings.empty();
    result.has_errors = findings.has_errors();
    result.findings = findings.sorted();
    if (!result.has_errors)
        result.text = accounts_text(result.queues) + queues_text(result.queues) + settings;
    return result;
}

Result<AccountingEdits> edits_of_import(const QueueImport& import,
                                        const std::vector<AccountSpec>& accounts,
                                        const std::vector<QueueSpec>& queues) {
    AccountingEdits edits;
    const auto account_of = by_folded_name(accounts);
    const auto queue_of = by_folded_name(queues);
    for (const ImportedQueue& one : import.queues) {
        const std::string& name = one.quota.name;
        const AccountSpec* const account = found_in(account_of, name);
        QueueSpec before{.name = name};
        if (account == nullptr) {
            edits.accounts.push_back(
                {.name = name, .parent = one.parent, .shares = one.shares.value_or(1)});
        } else {
            if (!iequals(account->parent, one.parent)) {
                return invalid_argument("account " + account->name + " lies beneath " +
                                        account->parent + ", and not beneath " + one.parent +
                                        "; right would be: sacctmgr modify account " +
                                        account->name + " set parent=" + one.parent);
            }
            before.name = account->name;
            if (one.shares && (account->shares != *one.shares || account->shares_of_parent)) {
                edits.accounts.push_back(*account);
                edits.accounts.back().shares = *one.shares;
                edits.accounts.back().shares_of_parent = false;
            }
        }
        const QueueSpec* const old = found_in(queue_of, name);
        const bool is_old = old != nullptr;
        const QueueSpec after = merged_queue(is_old ? *old : before, one.quota);
        if (options_of(after).empty()) {
            if (is_old) edits.removed_queues.push_back(after.name);
        } else if (!is_old || after != *old) {
            edits.queues.push_back(after);
        }
    }
    return edits;
}

}  // namespace berth::config
