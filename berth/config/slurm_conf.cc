// slurm.conf: sorts its lines by what they describe, and keeps the single keys for their readers.
#include <algorithm>

#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/draft.h"
#include "berth/config/known_keys.h"
#include "berth/config/scheduler_parameters.h"

namespace berth::config {
namespace {

// A key that does not belong in slurm.conf: says where it does.
std::string misplaced(const std::string& key) {
    if (find_scheduler_parameter(key) != nullptr) {
        return key +
               " is not a key of slurm.conf: it belongs in SchedulerParameters=" + to_lower(key) +
               " (one comma-separated list)";
    }
    for (const char* other : {"SwitchName", "BlockName", "BlockSizes"}) {
        if (iequals(key, other)) return key + " belongs in topology.conf, not in slurm.conf";
    }
    for (const char* other :
         {"ConstrainCores", "ConstrainDevices", "ConstrainRAMSpace", "ConstrainSwapSpace",
          "AllowedRAMSpace", "AllowedSwapSpace", "CgroupPlugin", "CgroupMountpoint"}) {
        if (iequals(key, other)) return key + " belongs in cgroup.conf, not in slurm.conf";
    }
    for (const char* other : {"AutoDetect", "Name", "File", "Links"}) {
        if (iequals(key, other)) return key + " belongs in gres.conf, not in slurm.conf";
    }
    std::vector<std::string_view> names = {"NodeName", "PartitionName"};
    for (const KnownKey& known : known_keys()) names.push_back(known.name);
    std::string text = "there is no option " + key + " in slurm.conf";
    if (const auto meant = nearest(key, names)) text += "; did you mean " + *meant + "?";
    return text;
}

// Without the key there is no such plugin, program or time.
bool is_none_by_default(const KnownKey& known) {
    return known.shown.empty() || known.shown.starts_with("(null") ||
           iequals(known.shown, "none") || iequals(known.shown, "INFINITE");
}

// It asks for what is done in any case: Slurm's default, or nothing where there is nothing.
bool says_the_usual(const KnownKey& known, std::string_view value) {
    if (iequals(value, known.shown) || iequals(value, "(null)")) return true;
    const bool asks_for_none = iequals(value, "none") || value.ends_with("/none");
    if (asks_for_none) return is_none_by_default(known);
    // Memory counts for jobs that ask for some: the others are placed as with CR_Core.
    if (iequals(known.name, "SelectTypeParameters") && iequals(value, "CR_Core")) return true;
    const std::string_view usual = known.shown.substr(0, known.shown.find(' '));
    const auto says = parse_yes_no(value), is = parse_yes_no(usual);
    return iequals(value, usual) || (says && is && *says == *is);
}

void read_global(Draft& draft, const Line& line, const Pair& pair) {
    const KnownKey* known = find_known_key(pair.key.substr(0, pair.key.find('[')));
    if (known == nullptr) return draft.error(line, pair, misplaced(pair.key));
    if (!pair.value)
        return draft.error(line, pair, pair.key + " has no value; write " + pair.key + "=VALUE");
    Pair kept = pair;
    draft.globals[to_lower(known->name)] = std::move(kept);
    if (known->use == KeyUse::not_yet && !says_the_usual(*known, *pair.value)) {
        draft.warning(line, pair, pair.key + "=" + *pair.value + " has no effect yet");
    } else if (known->use == KeyUse::slurms_own && !says_the_usual(*known, *pair.value)) {
        draft.warning(line, pair,
                      pair.key + "=" + *pair.value +
                          " has no effect: it configures a part of Slurm that Berth replaces");
    }
}

void read_gres_types(Draft& draft) {
    const Pair* types = draft.global("grestypes");
    if (types == nullptr) return;
    for (const std::string_view name : split(*types->value, ',')) {
        if (trim(name).empty()) continue;
        draft.gres_types.emplace(trim(name));
        draft.gres_type_lines.emplace(std::string(trim(name)), types->line);
    }
}

bool is_named(const Line& line, std::string_view key) {
    return iequals(line.pairs.front().key, key);
}

// Slurm has no such mode. berth.yaml has.
void refuse_checkpoint(Draft& draft, const Line& line) {
    const Pair* const mode = line.find("PreemptMode");
    if (mode == nullptr || !mode->value) return;
    for (const auto word : split(*mode->value, ',')) {
        if (iequals(trim(word), "checkpoint")) draft.error(line, *mode, checkpoint_in_yaml(*mode));
    }
}

}  // namespace

std::string checkpoint_in_yaml(const Pair& pair) {
    return pair.key + "=" + pair.value.value_or("") +
           " is no mode of Slurm's: set preemption: {mode: checkpoint} in berth.yaml, or "
           "preempt_mode: checkpoint of a partition or QOS there";
}

void read_slurm_conf(Draft& draft, const std::vector<Line>& lines) {
    Line node_defaults, partition_defaults;
    for (const Line& line : lines) {
        if (is_named(line, "NodeName") || is_named(line, "PartitionName") ||
            is_named(line, "SwitchName") || is_named(line, "DownNodes") ||
            is_named(line, "NodeSet") || is_named(line, "FrontendName")) {
            continue;
        }
        for (const Pair& pair : line.pairs) read_global(draft, line, pair);
    }
    read_gres_types(draft);
    read_hook_keys(draft, lines);
    read_slurmctld_parameters(draft, lines);
    for (const Line& line : lines) {
        if (is_named(line, "NodeName")) read_node_line(draft, line, node_defaults);
        if (is_named(line, "PartitionName")) {
            refuse_checkpoint(draft, line);
            read_partition_line(draft, line, partition_defaults);
        }
        if (is_named(line, "NodeSet")) read_node_set_line(draft, line);
        if (is_named(line, "DownNodes") || is_named(line, "FrontendName")) {
            draft.error(line, line.pairs.front().key + " lines are not supported yet");
        }
        if (is_named(line, "SwitchName")) {
            draft.error(line, misplaced("SwitchName"));
            draft.switches.push_back(line);
        }
    }
    if (const Pair* most = draft.global("maxnodecount")) {
        const Line line{.file = draft.slurm_conf, .number = most->line, .pairs = {}};
        draft.spec.max_node_count =
            static_cast<std::uint32_t>(number_or(draft, line, *most, 1, 65536, 0));
    }
    if (const Pair* name = draft.global("clustername")) draft.spec.name = *name->value;
    if (const Pair* host = draft.global("slurmctldhost")) {
        draft.spec.controller_host = host->value->substr(0, host->value->find('('));
    }
}

}  // namespace berth::config
