// A policy of its own: a piece of slurm.conf or of berth.yaml that says who comes first and how far
// is planned, to be put above a cluster's configuration.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/known_keys.h"

namespace berth::config {
namespace {

constexpr auto kPolicyFileKeys = std::to_array<std::string_view>(
    {"Priority*", "Scheduler*", "FairShareDampeningFactor", "EnforcePartLimits",
     "AccountingStorageEnforce", "OverTimeLimit", "KillWait", "JobRequeue"});

bool is_yaml(const ConfigText& policy) {
    return policy.name.ends_with(".yaml") || policy.name.ends_with(".yml");
}

bool is_of_a_policy(const std::string& key) {
    return std::ranges::any_of(kPolicyFileKeys, [&](std::string_view known) {
        if (!known.ends_with('*')) return iequals(known, key);
        known.remove_suffix(1);
        return iequals(known, std::string_view(key).substr(0, known.size()));
    });
}

bool has_line(const Line& line) {
    return std::ranges::any_of(std::to_array({"NodeName", "PartitionName", "SwitchName",
                                              "DownNodes", "NodeSet", "FrontendName", "Include"}),
                               [&](const char* key) { return iequals(line.pairs[0].key, key); });
}

void check_policy_keys(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Pair& pair : line.pairs) {
            const bool known = has_line(line) || find_known_key(pair.key) != nullptr;
            if (!known || is_of_a_policy(pair.key)) continue;  // Unknown ones are found elsewhere.
            draft.error(line, pair,
                        "a policy has no " + pair.key + "; it has " + join(kPolicyFileKeys, ", "));
            if (has_line(line)) break;
        }
    }
}

}  // namespace

void read_policy(Draft& draft, const ConfigText& policy) {
    if (is_yaml(policy)) return read_berth_yaml(draft, policy, true);
    read_slurm_conf(draft, parse_lines(policy, draft.findings));
}

// Alone, so that every finding names this file.
Findings check_policy(const ConfigText& policy) {
    Draft draft;
    draft.slurm_conf = policy.name;
    if (!is_yaml(policy)) {
        Findings already;  // read_policy() says it.
        check_policy_keys(draft, parse_lines(policy, already));
        if (draft.findings.has_errors()) return draft.findings;
    }
    read_policy(draft, policy);
    if (!is_yaml(policy)) {
        read_scheduling_keys(draft);
        read_priority_keys(draft);
    }
    add_priority_terms(draft);
    draft.findings.sort();
    return draft.findings;
}

}  // namespace berth::config
