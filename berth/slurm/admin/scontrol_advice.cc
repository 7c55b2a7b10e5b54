#include "berth/slurm/admin/scontrol_advice.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/slurm/admin/scontrol_job_keys.h"
#include "berth/slurm/options/advice.h"

namespace berth::slurm {
namespace {

constexpr auto kScontrolCommands = std::to_array<std::string_view>(
    {"cancel_reboot", "completing",  "create", "delete",  "hold",        "listpids",
     "notify",        "pidinfo",     "ping",   "reboot",  "reconfigure", "release",
     "requeue",       "requeuehold", "resume", "show",    "suspend",     "token",
     "top",           "uhold",       "update", "version", "wait_job",    "write"});

constexpr auto kShownEntities = std::to_array<std::string_view>(
    {"assoc_mgr", "config", "hostlist", "hostlistsorted", "hostnames", "job", "license", "node",
     "partition", "reservation", "step", "topology"});

constexpr auto kNodeUpdateKeys =
    std::to_array<std::string_view>({"ActiveFeatures", "AvailableFeatures", "BerthGpus", "Comment",
                                     "Extra", "Features", "Reason", "State", "Weight"});

struct InsteadOfVerb {
    std::string_view verb, instead;
};
constexpr auto kInsteadOfVerbs = std::to_array<InsteadOfVerb>({
    {"abort", "stop berthd with systemctl, or a cluster of berth up with berth down"},
    {"cluster", "there is one cluster"},
    {"errnumstr", "errors are printed in words"},
    {"fsdampeningfactor", "Berth has no FairShareDampeningFactor"},
    {"getaddrs", "scontrol show node has NodeAddr"},
    {"listjobs", "use listpids, or squeue -w NODE"},
    {"liststeps", "use listpids, or squeue -s -w NODE"},
    {"power", "Berth powers no nodes up or down"},
    {"schedloglevel", "set DebugFlags= in slurm.conf and say scontrol reconfigure"},
    {"setdebug", "start berthd with --verbose, or set SlurmctldDebug= in slurm.conf"},
    {"setdebugflags", "set DebugFlags= in slurm.conf and say scontrol reconfigure"},
    {"shutdown", "stop berthd with systemctl, or a cluster of berth up with berth down"},
    {"takeover", "there is no second controller: a berthd that begins on the state takes over"},
});

bool is_node_key(std::string_view key) {
    return std::ranges::any_of(kNodeUpdateKeys,
                               [&](std::string_view one) { return iequals(one, key); });
}

// The name that was meant, else all of them.
std::string advise(const Invocation& call, std::string_view word,
                   std::span<const std::string_view> names, const std::string& before) {
    return advice_on_name(call, word, {names.begin(), names.end()}, before + join(names, ", "));
}

}  // namespace

std::string advice_on_command(const Invocation& call, std::string_view word) {
    return advise(call, word, kScontrolCommands, "the commands are ");
}

std::string_view instead_of_verb(std::string_view verb) {
    const auto found = std::ranges::find_if(
        kInsteadOfVerbs, [&](const InsteadOfVerb& one) { return iequals(one.verb, verb); });
    return found == kInsteadOfVerbs.end() ? std::string_view() : found->instead;
}

std::string advice_on_entity(const Invocation& call, std::string_view word) {
    return advise(call, word, kShownEntities, "show takes ");
}

std::string advice_on_update(const Invocation& call, const std::vector<std::string>& words) {
    std::vector<std::string_view> keys;
    bool of_job = false, of_node = false;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) continue;  // What is said then is to write KEY=VALUE.
        const std::string_view key = std::string_view(word).substr(0, equals);
        const bool names_job = iequals(key, "JobId") || iequals(key, "Job");
        const bool names_node = iequals(key, "NodeName");
        of_job = of_job || names_job;
        of_node = of_node || names_node;
        if (!names_job && !names_node && !iequals(key, "StepId")) keys.push_back(key);
    }
    if (!of_job && !of_node) return {};  // What is said then tells how to begin.
    for (const std::string_view key : keys) {
        if (of_node && !is_node_key(key)) return advise(call, key, kNodeUpdateKeys, "a node has ");
        if (!of_node && !is_job_key(key)) return advise(call, key, job_update_keys(), "a job has ");
    }
    return {};
}

std::span<const std::string_view> node_update_keys() { return kNodeUpdateKeys; }

}  // namespace berth::slurm
