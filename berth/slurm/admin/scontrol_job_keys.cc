#include "berth/slurm/admin/scontrol_job_keys.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/license.h"
#include "berth/model/mail.h"
#include "berth/model/request_values.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

struct Given {
    std::string key, value;
    Time now;

    Error wrong(const std::string& name) const {
        return invalid_argument("Invalid " + name + " value: " + value);
    }
};

// ---- Values of several keys.

template <std::optional<std::string> api::JobPatch::* Member>
Status change_text(JobUpdate& update, const Given& given) {
    update.patch.*Member = given.value;
    return Done{};
}

template <std::optional<std::uint32_t> api::JobPatch::* Member, std::int64_t least,
          std::int64_t most>
Status change_count(JobUpdate& update, const Given& given) {
    BERTH_TRY(const std::int64_t number, whole_number(given.key, given.value, least, most));
    update.patch.*Member = static_cast<std::uint32_t>(number);
    return Done{};
}
constexpr std::int64_t kRequestMost = 10'000'000;

template <std::optional<std::int64_t> api::JobPatch::* Member>
Status change_number(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.patch.*Member,
              whole_number(given.key, given.value, -2'147'483'645, 2'147'483'645));
    return Done{};
}

template <std::optional<std::int64_t> api::JobPatch::* Member>
Status change_size(JobUpdate& update, const Given& given) {
    const auto size = parse_size(given.value);
    if (!size.ok() || size->count() < 0) return given.wrong(given.key);
    update.patch.*Member = size->count();
    return Done{};
}

template <std::optional<bool> api::JobPatch::* Member>
Status change_yes_or_no(JobUpdate& update, const Given& given) {
    const bool yes = iequals(given.value, "yes") || given.value == "1";
    if (!yes && !iequals(given.value, "no") && given.value != "0") return given.wrong(given.key);
    update.patch.*Member = yes;
    return Done{};
}

template <std::optional<std::vector<std::string>> api::JobPatch::* Member>
Status change_hosts(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.patch.*Member, expand_hostlist(given.value));
    return Done{};
}

template <std::optional<Time> api::JobPatch::* Member>
Status change_time(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.patch.*Member, parse_when(given.value, given.now));
    return Done{};
}

// ---- Values of one.

Status change_begin(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.patch.begin, parse_when(given.value, given.now, true));
    return Done{};
}

Status change_end(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.end, parse_when(given.value, given.now));
    return Done{};
}

Status change_time_limit(JobUpdate& update, const Given& given) {
    const std::string& value = given.value;
    const bool relative = !value.empty() && (value[0] == '+' || value[0] == '-') && value != "-1";
    const auto limit =
        parse_time_limit(relative ? std::string_view(value).substr(1) : std::string_view(value));
    if (!limit.ok()) return given.wrong("TimeLimit");
    if (!relative) {
        update.patch.time_limit = value;
    } else if (limit.value()) {
        update.time_limit_by = value[0] == '-' ? -*limit.value() : *limit.value();
    }
    return Done{};
}

Status change_time_min(JobUpdate& update, const Given& given) {
    const auto least = parse_time_limit(given.value);
    if (!least.ok() || !*least) return given.wrong("TimeMin");
    update.patch.time_min = given.value;
    return Done{};
}

Status change_nodes(JobUpdate& update, const Given& given) {
    const auto count = parse_node_count(given.value);
    if (!count) return given.wrong("NumNodes");
    update.patch.nodes_min = count->least;
    update.patch.nodes_max = count->most;
    return Done{};
}

Status change_switches(JobUpdate& update, const Given& given) {
    const auto parts = split(given.value, '@');
    const auto count = parse_int64(parts[0]);
    if (parts.size() > 2 || !count.ok() || *count < 0 || *count > 65535)
        return given.wrong("Switches");
    update.patch.switches = static_cast<std::uint32_t>(*count);
    if (parts.size() == 1) return Done{};
    const auto wait = parse_time_limit(parts[1]);
    if (!wait.ok() || !*wait) return given.wrong("Switches");
    update.patch.switches_wait = **wait;
    return Done{};
}

Status change_switches_wait(JobUpdate& update, const Given& given) {
    BERTH_TRY(const std::int64_t seconds, whole_number(given.key, given.value, 0, kRequestMost));
    update.patch.switches_wait = std::chrono::seconds(seconds);
    return Done{};
}

Status change_gres(JobUpdate& update, const Given& given) {
    if (!given.value.empty() && !parse_gres_list(given.value)) return given.wrong("Gres");
    update.patch.gres = given.value;
    return Done{};
}

Status change_licenses(JobUpdate& update, const Given& given) {
    if (!given.value.empty() && !parse_licenses(given.value))
        return invalid_argument("Invalid license specification");
    update.patch.licenses = given.value;
    return Done{};
}

Status change_prefer(JobUpdate& update, const Given& given) {
    BERTH_TRY(update.patch.prefer, preferred_features(given.value));
    return Done{};
}

Status change_mail_type(JobUpdate& update, const Given& given) {
    if (!parse_mail_types(given.value)) return given.wrong("MailType");
    update.patch.mail_type = given.value;
    return Done{};
}

Status change_requeue(JobUpdate& update, const Given& given) {
    if (given.value != "0" && given.value != "1")
        return invalid_argument("scontrol: error: Invalid Requeue value: " + given.value);
    update.patch.requeue = given.value == "1";
    return Done{};
}

// ---- The table.

struct UpdateKey {
    std::string_view names;  // The first is Slurm's own.
    Status (*set)(JobUpdate& update, const Given& given);
};

using Patch = api::JobPatch;
// clang-format off
constexpr auto kUpdateKeys = std::to_array<UpdateKey>({
    {"Account", change_text<&Patch::account>},
    {"AdminComment", change_text<&Patch::admin_comment>},
    {"ArrayTaskThrottle", change_count<&Patch::array_max_running, 0, 4'000'000>},
    {"Comment", change_text<&Patch::comment>},
    {"Contiguous", change_yes_or_no<&Patch::contiguous>},
    {"CPUsPerTask", change_count<&Patch::cpus_per_task, 1, kRequestMost>},
    {"Deadline", change_time<&Patch::deadline>},
    {"Dependency", change_text<&Patch::dependency>},
    {"EndTime", change_end},
    {"ExcNodeList", change_hosts<&Patch::exclude>},
    {"Extra", change_text<&Patch::extra>},
    {"Features", change_text<&Patch::features>},
    {"Gres", change_gres},
    {"Licenses", change_licenses},
    {"MailType", change_mail_type},
    {"MailUser", change_text<&Patch::mail_user>},
    {"MinMemoryCPU", change_size<&Patch::memory_per_cpu>},
    {"MinMemoryNode", change_size<&Patch::memory_per_node>},
    {"MinTmpDiskNode", change_size<&Patch::tmp_disk>},
    {"Name,JobName", change_text<&Patch::name>},
    {"Nice", change_number<&Patch::nice>},
    {"NodeList,ReqNodeList", change_hosts<&Patch::nodelist>},
    {"NumNodes,ReqNodes", change_nodes},
    {"NumTasks,ReqProcs", change_count<&Patch::tasks, 1, kRequestMost>},
    {"OverSubscribe,Shared", change_yes_or_no<&Patch::oversubscribe>},
    {"Partition", change_text<&Patch::partition>},
    {"Prefer", change_prefer},
    {"Priority", change_count<&Patch::priority, 0, 0xffff'fffeLL>},
    {"QOS", change_text<&Patch::qos>},
    {"ReqCores", change_count<&Patch::cores_per_socket, 0, kRequestMost>},
    {"ReqSockets", change_count<&Patch::sockets, 0, kRequestMost>},
    {"ReqThreads", change_count<&Patch::threads_per_core, 0, kRequestMost>},
    {"Requeue", change_requeue},
    {"ReservationName", change_text<&Patch::reservation>},
    {"SiteFactor", change_number<&Patch::site_factor>},
    {"StartTime,EligibleTime", change_begin},
    {"StdErr", change_text<&Patch::std_err>},
    {"StdIn", change_text<&Patch::std_in>},
    {"StdOut", change_text<&Patch::std_out>},
    {"Switches", change_switches},
    {"TasksPerNode", change_count<&Patch::tasks_per_node, 1, kRequestMost>},
    {"TimeLimit", change_time_limit},
    {"TimeMin", change_time_min},
    {"wait-for-switch", change_switches_wait},
    {"WCKey", change_text<&Patch::wckey>},
    {"WorkDir", change_text<&Patch::work_dir>},
});
// clang-format on

// Slurm's keys that are not ours, and why.
struct ForeignKey {
    std::string_view name, why;
};
constexpr auto kForeignKeys = std::to_array<ForeignKey>({
    {"BurstBuffer", "Berth has no burst buffers"},
    {"ClusterFeatures", "Berth has no federations of clusters"},
    {"Clusters", "Berth has no federations of clusters"},
    {"CoreSpec", "cores are set aside by the node's CoreSpecCount"},
    {"DelayBoot", "Berth boots no nodes"},
    {"MCSLabel", "Berth has no MCS plugin, as Slurm by default"},
    {"MinCPUsNode", "use CPUsPerTask and TasksPerNode"},
    {"NumCPUs", "use NumTasks and CPUsPerTask"},
    {"Reboot", "use scontrol reboot"},
    {"ResetAccrueTime", "use Priority or Nice"},
    {"ThreadSpec", "cores are set aside by the node's CoreSpecCount"},
});

constexpr std::size_t kLettersLeast = 3;

template <class Keys>
const typename Keys::value_type* find_key(
    const Keys& keys, std::string_view written,
    std::string_view (*names_of)(const typename Keys::value_type&)) {
    const typename Keys::value_type* found = nullptr;
    std::size_t beginnings = 0;
    for (const auto& one : keys) {
        bool begins = false;
        for (const std::string_view name : split(names_of(one), ',')) {
            if (iequals(name, written)) return &one;
            begins = begins || starts_with_icase(name, written);
        }
        if (!begins) continue;
        found = &one;
        ++beginnings;
    }
    return written.size() >= kLettersLeast && beginnings == 1 ? found : nullptr;
}

const UpdateKey* find_update_key(std::string_view key) {
    return find_key(kUpdateKeys, key, [](const UpdateKey& one) { return one.names; });
}
const ForeignKey* find_foreign_key(std::string_view key) {
    return find_key(kForeignKeys, key, [](const ForeignKey& one) { return one.name; });
}

}  // namespace

std::vector<std::string_view> job_update_keys() {
    std::vector<std::string_view> names;
    for (const UpdateKey& one : kUpdateKeys) {
        for (const std::string_view name : split(one.names, ',')) names.push_back(name);
    }
    return names;
}

bool is_job_key(std::string_view key) {
    return find_update_key(key) != nullptr || find_foreign_key(key) != nullptr;
}

Status set_job_key(JobUpdate& update, const std::string& key, const std::string& value, Time now) {
    const UpdateKey* const known = find_update_key(key);
    if (known != nullptr) return known->set(update, {key, value, now});
    const ForeignKey* const refused = find_foreign_key(key);
    const std::string given = key + "=" + value;
    if (refused != nullptr) {
        return Error{ErrorCode::failed_precondition,
                     given + " is not supported: " + std::string(refused->why)};
    }
    return invalid_argument("Update of this parameter is not supported: " + given);
}

}  // namespace berth::slurm
