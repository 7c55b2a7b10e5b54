#include "berth/slurm/admin/scontrol_advice.h"

#include <algorithm>
#include <array>

#include "berth/base/text.h"
#include "berth/slurm/options/advice.h"

namespace berth::slurm {
namespace {

constexpr auto kScontrolCommands = std::to_array<std::string_view>(
    {"cancel_reboot", "completing", "create",      "delete",  "hold",    "notify",
     "ping",          "reboot",     "reconfigure", "release", "requeue", "requeuehold",
     "resume",        "show",       "suspend",     "token",   "top",     "uhold",
     "update",        "version",    "wait_job",    "write"});

constexpr auto kShownEntities = std::to_array<std::string_view>(
    {"assoc_mgr", "config", "hostlist", "hostlistsorted", "hostnames", "job", "license", "node",
     "partition", "reservation", "step", "topology"});

constexpr auto kJobUpdateKeys = std::to_array<std::string_view>({"ArrayTaskThrottle",
                                                                 "Comment",
                                                                 "Contiguous",
                                                                 "CPUsPerTask",
                                                                 "Deadline",
                                                                 "Dependency",
                                                                 "EligibleTime",
                                                                 "ExcNodeList",
                                                                 "Features",
                                                                 "JobName",
                                                                 "Licenses",
                                                                 "MailType",
                                                                 "MailUser",
                                                                 "MinMemoryCPU",
                                                                 "MinMemoryNode",
                                                                 "Name",
                                                                 "Nice",
                                                                 "NodeList",
                                                                 "NumNodes",
                                                                 "NumTasks",
                                                                 "Partition",
                                                                 "Priority",
                                                                 "QOS",
                                                                 "ReqNodeList",
                                                                 "Requeue",
                                                                 "ReservationName",
                                                                 "SiteFactor",
                                                                 "StartTime",
                                                                 "Switches",
                                                                 "TimeLimit",
                                                                 "TimeMin"});

constexpr auto kNodeUpdateKeys =
    std::to_array<std::string_view>({"ActiveFeatures", "AvailableFeatures", "BerthGpus", "Comment",
                                     "Extra", "Features", "Reason", "State", "Weight"});

// The name that was meant, else all of them.
std::string advise(const Invocation& call, std::string_view word,
                   std::span<const std::string_view> names, const std::string& before) {
    return advice_on_name(call, word, {names.begin(), names.end()}, before + join(names, ", "));
}

}  // namespace

std::string advice_on_command(const Invocation& call, std::string_view word) {
    return advise(call, word, kScontrolCommands, "the commands are ");
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
    const auto known = of_node ? node_update_keys() : job_update_keys();
    for (const std::string_view key : keys) {
        const bool is_known =
            std::ranges::any_of(known, [&](std::string_view one) { return iequals(one, key); });
        if (is_known) continue;
        return advise(call, key, known, of_node ? "a node has " : "a job has ");
    }
    return {};
}

std::span<const std::string_view> job_update_keys() { return kJobUpdateKeys; }

std::span<const std::string_view> node_update_keys() { return kNodeUpdateKeys; }

}  // namespace berth::slurm
