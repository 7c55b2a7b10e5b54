// cgroup.conf: how jobs are confined.
#include "berth/config/cgroup_conf.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

using Use = CgroupUse;

constexpr CgroupKey unheeded(std::string_view name, std::string_view usual, std::string_view why) {
    return {.name = name, .use = Use::without_effect, .usual = usual, .why = why};
}

constexpr auto kCgroupKeys = std::to_array<CgroupKey>({
    {"ConstrainCores", Use::flag, &ConfinementSpec::cores},
    {"ConstrainDevices", Use::flag, &ConfinementSpec::devices},
    {"ConstrainRAMSpace", Use::flag, &ConfinementSpec::memory},
    {"ConstrainSwapSpace", Use::flag, &ConfinementSpec::swap},
    {"AllowedRAMSpace", Use::percent, nullptr, &ConfinementSpec::allowed_ram_percent},
    {"AllowedSwapSpace", Use::percent, nullptr, &ConfinementSpec::allowed_swap_percent},
    unheeded("CgroupMountpoint", "/sys/fs/cgroup",
             "cgroups are found where the system has mounted them"),
    unheeded("CgroupPlugin", "autodetect",
             "the version of cgroups that the system has mounted is used"),
    unheeded("EnableControllers", "no", "each level gets the controllers that it needs"),
    unheeded("IgnoreSystemd", "no", "systemd is not asked for cgroups"),
    unheeded("IgnoreSystemdOnFailure", "no", "systemd is not asked for cgroups"),
    unheeded("SystemdTimeout", "1000", "systemd is not asked for cgroups"),
    unheeded("MaxRAMPercent", "100", "AllowedRAMSpace alone bounds a job's memory"),
    unheeded("MaxSwapPercent", "100", "AllowedSwapSpace alone bounds a job's swap"),
    unheeded("MinRAMSpace", "30", "AllowedRAMSpace alone bounds a job's memory"),
    unheeded("MemorySwappiness", {}, "swappiness is as the system has it"),
    unheeded("SignalChildrenProcesses", "no",
             "--batch and --full of scancel say which processes get a signal"),
    {"CgroupAutomount", Use::defunct},
    {"AllowedDevicesFile", Use::obsolete},
    {"CgroupReleaseAgentDir", Use::removed},
    {"TaskAffinity", Use::removed},
    {"ConstrainKmemSpace", Use::removed},
    {"AllowedKmemSpace", Use::removed},
    {"MaxKmemPercent", Use::removed},
    {"MinKmemSpace", Use::removed},
});

bool asks_for_the_usual(const CgroupKey& key, std::string_view value) {
    const auto says = parse_yes_no(value), is = parse_yes_no(key.usual);
    return iequals(value, key.usual) || (says && is && *says == *is);
}

void read_known(Draft& draft, const Line& line, const Pair& pair, const CgroupKey& key) {
    const std::string name(key.name);
    switch (key.use) {
        case Use::flag: {
            const auto yes = parse_yes_no(*pair.value);
            if (!yes)
                return draft.error(line, pair, name + "=" + *pair.value + " should be yes or no");
            draft.spec.confinement.*key.flag = *yes;
            return;
        }
        case Use::percent:
            draft.spec.confinement.*key.percent = number_or(draft, line, pair, 0, 10'000, 100);
            return;
        case Use::without_effect:
            if (asks_for_the_usual(key, *pair.value)) return;
            return draft.warning(
                line, pair, name + "=" + *pair.value + " has no effect: " + std::string(key.why));
        case Use::defunct:
            return draft.warning(
                line, pair,
                name + " is defunct: cgroups are mounted by the system; remove the line");
        case Use::obsolete:
            return draft.warning(line, pair,
                                 name +
                                     " is obsolete: a job gets the standard devices and those "
                                     "granted to it; remove the line");
        case Use::removed:
            return draft.error(
                line, pair,
                name +
                    " has been removed from Slurm, which does not start with it; remove the line");
    }
}

}  // namespace

std::span<const CgroupKey> cgroup_keys() { return kCgroupKeys; }

void read_cgroup_conf(Draft& draft, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Pair& pair : line.pairs) {
            const auto key = std::ranges::find_if(
                kCgroupKeys, [&](const auto& k) { return iequals(k.name, pair.key); });
            if (key == kCgroupKeys.end()) {
                draft.error(line, pair, "there is no option " + pair.key + " in cgroup.conf");
            } else if (!pair.value) {
                draft.error(line, pair, pair.key + " has no value");
            } else {
                read_known(draft, line, pair, *key);
            }
        }
    }
}

}  // namespace berth::config
