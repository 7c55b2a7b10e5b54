// `priority:` of berth.yaml: terms of a job's priority and their weights, those that slurm.conf has
// a key for and all others that this build knows.
#include <algorithm>
#include <array>

#include "berth/config/draft.h"

namespace berth::config {
namespace {

struct SlurmTerm {
    std::string_view term, key;
};
constexpr auto kSlurmTerms = std::to_array<SlurmTerm>({
    {"age", "PriorityWeightAge"},
    {"association", "PriorityWeightAssoc"},
    {"fair_share", "PriorityWeightFairShare"},
    {"size", "PriorityWeightJobSize"},
    {"partition", "PriorityWeightPartition"},
    {"qos", "PriorityWeightQOS"},
});
bool is_priority(const RuleSpec& rule) { return rule.kind == "priority"; }

// What `from` says goes above what `term` has; the rest stays.
void overlay(RuleSpec& term, const RuleSpec& from) {
    term.weight = from.weight;
    for (const auto& [name, value] : from.settings) {
        const auto known =
            std::ranges::find(term.settings, name, &std::pair<std::string, std::int64_t>::first);
        if (known == term.settings.end()) {
            term.settings.emplace_back(name, value);
        } else {
            known->second = value;
        }
    }
}

void set_weight(std::vector<std::pair<std::string, std::string>>& settings, std::string_view key,
                std::string value) {
    const auto known =
        std::ranges::find(settings, key, &std::pair<std::string, std::string>::first);
    if (known == settings.end()) {
        settings.emplace_back(key, std::move(value));
    } else {
        known->second = std::move(value);
    }
}

}  // namespace

bool is_weighed(std::string_view term) {
    return term != "site" && term != "tres" && term != "nice";
}

void add_priority_terms(Draft& draft) {
    std::vector<RuleSpec>& rules = draft.spec.scheduling.rules;
    if (draft.yaml.priority_terms.empty()) return;
    if (const Pair* type = draft.global("prioritytype");
        type != nullptr && *type->value == "priority/basic") {
        draft.findings.add(Severity::error, draft.slurm_conf, type->line,
                           "PriorityType=priority/basic has no priority terms, but berth.yaml "
                           "gives some a weight: set PriorityType=priority/multifactor");
        return;
    }
    for (const RuleSpec& term : draft.yaml.priority_terms) {
        const auto known = std::ranges::find_if(rules, [&](const RuleSpec& rule) {
            return is_priority(rule) && rule.name == term.name;
        });
        known == rules.end() ? rules.push_back(term) : overlay(*known, term);
    }
}

void list_priority_terms(Draft& draft) {
    if (draft.yaml.priority_terms.empty()) return;
    std::string others;
    for (const RuleSpec& rule : draft.spec.scheduling.rules) {
        if (!is_priority(rule) || !is_weighed(rule.name)) continue;
        const auto slurm = std::ranges::find(kSlurmTerms, rule.name, &SlurmTerm::term);
        const std::string weight = std::to_string(rule.weight);
        if (slurm != kSlurmTerms.end()) {
            set_weight(draft.spec.settings, slurm->key, weight);
        } else {
            others += (others.empty() ? "" : ",") + rule.name + "=" + weight;
        }
    }
    if (!others.empty()) set_weight(draft.spec.settings, "PriorityTerms", others);
}

}  // namespace berth::config
