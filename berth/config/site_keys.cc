// The keys of slurm.conf about the site as a whole: who administers it, what users see of others,
// what the logs tell, and whether nodes that were down come back by themselves.
#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/config/draft.h"
#include "berth/config/globals.h"
#include "berth/config/log_settings.h"

namespace berth::config {
namespace {

constexpr auto kSubmitPlugins =
    std::to_array<std::string_view>({"lua", "all_partitions", "require_timelimit"});

struct PrivateName {
    std::string_view name;
    std::uint32_t bit;
};
constexpr auto kPrivate = std::to_array<PrivateName>({
    {"accounts", bit_of(PrivateKind::accounts)},
    {"events", bit_of(PrivateKind::events)},
    {"jobs", bit_of(PrivateKind::jobs)},
    {"nodes", bit_of(PrivateKind::nodes)},
    {"partitions", bit_of(PrivateKind::partitions)},
    {"reservations", bit_of(PrivateKind::reservations)},
    {"usage", bit_of(PrivateKind::usage)},
    {"users", bit_of(PrivateKind::users)},
});
constexpr auto kDebug = std::to_array<PrivateName>({
    {"gres", bit_of(DebugFlag::gres)},
    {"steps", bit_of(DebugFlag::steps)},
});
// Of Slurm's, those that tell of parts that Berth does not have, or does not tell of.
constexpr auto kDebugOfSlurm = std::to_array<std::string_view>({
    "accrue",       "agent",      "auditrpcs",     "auditttls",    "backfill",     "backfillmap",
    "burstbuffer",  "cgroup",     "conmgr",        "cpu_bind",     "cpufrequency", "data",
    "dbd_agent",    "dependency", "elasticsearch", "energy",       "federation",   "frontend",
    "glob_silence", "hetjob",     "interconnect",  "jobcomp",      "jobcontainer", "license",
    "metrics",      "network",    "networkraw",    "nodefeatures", "no_conf_hash", "power",
    "powersave",    "priority",   "profile",       "protocol",     "reservation",  "route",
    "sackd",        "script",     "selecttype",    "switch",       "timectld",     "timers",
    "tls",          "tracejobs",  "triggers",
});

std::string list_of_names(std::span<const PrivateName> known) {
    std::string names;
    for (const PrivateName& one : known) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

void read_private_data(Draft& draft, const Line& line) {
    const Pair* pair = draft.global("privatedata");
    if (pair == nullptr) return;
    for (const std::string_view part : split(*pair->value, ',')) {
        const std::string word = to_lower(trim(part));
        if (word.empty() || word == "none") continue;
        const auto known = std::ranges::find(kPrivate, word, &PrivateName::name);
        if (known != kPrivate.end()) {
            draft.spec.private_data |= known->bit;
        } else if (word == "all") {
            for (const PrivateName& one : kPrivate) draft.spec.private_data |= one.bit;
        } else if (word == "cloud") {
            draft.warning(line, *pair, "PrivateData=cloud has no effect yet");
        } else {
            draft.error(line, *pair,
                        "PrivateData: there is no " + word + "; there are " +
                            list_of_names(kPrivate) + ", all, none");
        }
    }
}

void read_debug_flags(Draft& draft, const Line& line) {
    const Pair* pair = draft.global("debugflags");
    if (pair == nullptr) return;
    for (const std::string_view part : split(*pair->value, ',')) {
        const std::string word = to_lower(trim(part));
        if (word.empty() || word == "none" || word == "(null)") continue;
        const auto known = std::ranges::find(kDebug, word, &PrivateName::name);
        if (known != kDebug.end()) {
            draft.spec.debug_flags |= known->bit;
        } else if (std::ranges::find(kDebugOfSlurm, word) != kDebugOfSlurm.end()) {
            draft.warning(line, *pair, "DebugFlags=" + word + " has no effect yet");
        } else {
            draft.error(line, *pair,
                        "DebugFlags: there is no " + word + "; those with an effect are " +
                            list_of_names(kDebug));
        }
    }
}

// "slurm", "root", "slurm(64030)".
void read_slurm_user(Draft& draft, const Line& line) {
    const Pair* pair = draft.global("slurmuser");
    if (pair == nullptr) return;
    const std::string name(trim(pair->value->substr(0, pair->value->find('('))));
    if (name.empty() || name.find_first_of(" ,:/") != std::string::npos) {
        return draft.error(line, *pair,
                           "SlurmUser=" + *pair->value + " should be the name of one user");
    }
    draft.spec.slurm_user = name;
}

// Of Slurm's plugins, those whose part Berth does not play, and what does.
constexpr auto kOtherPlugins = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"cray_aries", "there are no Cray systems here"},
    {"defaults", "write what it should do into job_submit.lua"},
    {"logging", "the audit log has every submission (docs/security.md)"},
    {"partition", "choose the partition in job_submit.lua"},
    {"pbs", "write what it should do into job_submit.lua"},
    {"throttle", "use SlurmctldParameters=rl_enable, or MaxSubmitJobs of associations"},
});

// "lua", "job_submit/lua,require_timelimit".
void read_submit_plugins(Draft& draft, const Line& line) {
    const Pair* pair = draft.global("jobsubmitplugins");
    if (pair == nullptr) return;
    std::vector<std::string>& plugins = draft.spec.job_submit.plugins;
    for (const std::string_view part : split(*pair->value, ',')) {
        std::string word = to_lower(trim(part));
        if (word.empty() || word == "none" || word == "(null)") continue;
        if (word.starts_with("job_submit/")) word.erase(0, word.find('/') + 1);
        const auto other = std::ranges::find(kOtherPlugins, word,
                                             &std::pair<std::string_view, std::string_view>::first);
        if (other != kOtherPlugins.end()) {
            draft.error(
                line, *pair,
                "JobSubmitPlugins: " + word + " is not supported: " + std::string(other->second));
        } else if (std::ranges::find(kSubmitPlugins, word) == kSubmitPlugins.end()) {
            draft.error(line, *pair,
                        "JobSubmitPlugins: there is no " + word +
                            "; there are lua, all_partitions, require_timelimit");
        } else if (std::ranges::find(plugins, word) != plugins.end()) {
            draft.error(line, *pair, "JobSubmitPlugins names " + word + " twice");
        } else {
            plugins.push_back(std::move(word));
        }
    }
}

void read_log_level(Draft& draft, const Line& line, const char* key) {
    const Pair* pair = draft.global(key);
    if (pair == nullptr) return;
    if (log_level_of(*pair->value)) return;
    draft.error(line, *pair,
                pair->key + "=" + *pair->value +
                    " should be quiet, fatal, error, info, verbose, debug or debug2 to debug5");
}

}  // namespace

void read_site_keys(Draft& draft) {
    Globals globals(draft);
    read_slurm_user(draft, globals.line());
    read_private_data(draft, globals.line());
    read_debug_flags(draft, globals.line());
    read_submit_plugins(draft, globals.line());
    read_log_level(draft, globals.line(), "slurmctlddebug");
    read_log_level(draft, globals.line(), "slurmddebug");
    if (draft.global("returntoservice") == nullptr) return;
    draft.spec.care.return_to_service =
        static_cast<std::uint8_t>(globals.number("returntoservice", 0, 2, 2));
}

}  // namespace berth::config
