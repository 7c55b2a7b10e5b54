// cgroup.conf: how jobs are confined.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/config/draft.h"

namespace berth::config {
namespace {

enum class Use : unsigned char { flag, percent, slurms_own, obsolete, defunct, removed };

struct CgroupKey {
    std::string_view name;
    Use use;
    bool ConfinementSpec::* flag = nullptr;
    std::int64_t ConfinementSpec::* percent = nullptr;
};

constexpr auto kCgroupKeys = std::to_array<CgroupKey>({
    {"ConstrainCores", Use::flag, &ConfinementSpec::cores},
    {"ConstrainDevices", Use::flag, &ConfinementSpec::devices},
    {"ConstrainRAMSpace", Use::flag, &ConfinementSpec::memory},
    {"ConstrainSwapSpace", Use::flag, &ConfinementSpec::swap},
    {"AllowedRAMSpace", Use::percent, nullptr, &ConfinementSpec::allowed_ram_percent},
    {"AllowedSwapSpace", Use::percent, nullptr, &ConfinementSpec::allowed_swap_percent},
    {"CgroupMountpoint", Use::slurms_own},
    {"CgroupPlugin", Use::slurms_own},
    {"EnableControllers", Use::slurms_own},
    {"IgnoreSystemd", Use::slurms_own},
    {"IgnoreSystemdOnFailure", Use::slurms_own},
    {"SystemdTimeout", Use::slurms_own},
    {"MaxRAMPercent", Use::slurms_own},
    {"MaxSwapPercent", Use::slurms_own},
    {"MinRAMSpace", Use::slurms_own},
    {"MemorySwappiness", Use::slurms_own},
    {"SignalChildrenProcesses", Use::slurms_own},
    {"CgroupAutomount", Use::defunct},
    {"AllowedDevicesFile", Use::obsolete},
    {"CgroupReleaseAgentDir", Use::removed},
    {"TaskAffinity", Use::removed},
    {"ConstrainKmemSpace", Use::removed},
    {"AllowedKmemSpace", Use::removed},
    {"MaxKmemPercent", Use::removed},
    {"MinKmemSpace", Use::removed},
});

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
        case Use::slurms_own: return;
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
