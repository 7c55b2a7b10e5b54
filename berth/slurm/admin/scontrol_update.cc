#include "berth/slurm/admin/scontrol_update.h"

#include <algorithm>
#include <array>

#include "berth/base/bitmask.h"
#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/license.h"
#include "berth/model/mail.h"
#include "berth/model/node.h"
#include "berth/slurm/admin/scontrol_reservation.h"
#include "berth/slurm/options/option_values.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

Status set_time_limit(Update& update, const std::string& value) {
    const bool relative = !value.empty() && (value[0] == '+' || value[0] == '-') && value != "-1";
    const auto limit =
        parse_time_limit(relative ? std::string_view(value).substr(1) : std::string_view(value));
    if (!limit.ok()) return invalid_argument("Invalid TimeLimit value: " + value);
    if (!relative) {
        update.job.time_limit = value;
    } else if (limit.value()) {
        update.time_limit_by = value[0] == '-' ? -*limit.value() : *limit.value();
    }
    return Done{};
}

Status set_switches_key(api::JobPatch& job, const std::string& value) {
    const auto parts = split(value, '@');
    const auto count = parse_int64(parts[0]);
    if (parts.size() > 2 || !count.ok() || *count < 0 || *count > 65535) {
        return invalid_argument("Invalid Switches value: " + value);
    }
    job.switches = static_cast<std::uint32_t>(*count);
    if (parts.size() == 1) return Done{};
    const auto wait = parse_time_limit(parts[1]);
    if (!wait.ok() || !*wait) return invalid_argument("Invalid Switches value: " + value);
    job.switches_wait = **wait;
    return Done{};
}

Status set_numnodes_key(api::JobPatch& job, const std::string& value) {
    const auto count = parse_node_count(value);
    if (!count) return invalid_argument("Invalid NumNodes value: " + value);
    job.nodes_min = count->least;
    job.nodes_max = count->most;
    return Done{};
}

Status set_memory_key(std::optional<std::int64_t>& memory, const std::string& key,
                      const std::string& value) {
    const auto size = parse_size(value);
    if (!size.ok() || size->count() < 0)
        return invalid_argument("Invalid " + key + " value: " + value);
    memory = size->count();
    return Done{};
}

// What of a waiting job's request is to be another.
Status set_request_key(api::JobPatch& job, const std::string& name, const std::string& key,
                       const std::string& value, Time now) {
    const auto set_count = [&](std::optional<std::uint32_t>& count) -> Status {
        BERTH_TRY(const std::int64_t number, whole_number(key, value, 1, 10'000'000));
        count = static_cast<std::uint32_t>(number);
        return Done{};
    };
    if (name == "switches") return set_switches_key(job, value);
    if (name == "numnodes") return set_numnodes_key(job, value);
    if (name == "numtasks") return set_count(job.tasks);
    if (name == "cpuspertask") return set_count(job.cpus_per_task);
    if (name == "minmemorynode") return set_memory_key(job.memory_per_node, key, value);
    if (name == "minmemorycpu") return set_memory_key(job.memory_per_cpu, key, value);
    if (name == "licenses") {
        if (!value.empty() && !parse_licenses(value))
            return invalid_argument("Invalid license specification");
        job.licenses = value;
    } else if (name == "features") {
        job.features = value;
    } else if (name == "reservationname") {
        job.reservation = value;
    } else if (name == "timemin") {
        const auto least = parse_time_limit(value);
        if (!least.ok() || !*least) return invalid_argument("Invalid TimeMin value: " + value);
        job.time_min = value;
    } else if (name == "deadline") {
        BERTH_TRY(job.deadline, parse_when(value, now));
    } else if (name == "excnodelist") {
        BERTH_TRY(job.exclude, expand_hostlist(value));
    } else if (name == "contiguous") {
        const bool yes = iequals(value, "yes") || value == "1";
        if (!yes && !iequals(value, "no") && value != "0") {
            return invalid_argument("Invalid Contiguous value: " + value);
        }
        job.contiguous = yes;
    } else {
        return invalid_argument("Update of this parameter is not supported: " + key + "=" + value);
    }
    return Done{};
}

Status set_job_key(Update& update, const std::string& key, const std::string& value, Time now) {
    const std::string name = to_lower(key);
    if (name == "timelimit") return set_time_limit(update, value);
    if (name == "partition") {
        update.job.partition = value;
    } else if (name == "qos") {
        update.job.qos = value;
    } else if (name == "name" || name == "jobname") {
        update.job.name = value;
    } else if (name == "comment") {
        update.job.comment = value;
    } else if (name == "dependency") {
        update.job.dependency = value;
    } else if (name == "nodelist" || name == "reqnodelist") {
        BERTH_TRY(update.job.nodelist, expand_hostlist(value));
    } else if (name == "priority") {
        BERTH_TRY(const std::int64_t priority, whole_number(key, value, 0, 0xffff'fffeLL));
        update.job.priority = static_cast<std::uint32_t>(priority);
    } else if (name == "sitefactor") {
        BERTH_TRY(update.job.site_factor, whole_number(key, value, -2'147'483'645, 2'147'483'645));
    } else if (name == "nice") {
        BERTH_TRY(update.job.nice, whole_number(key, value, -2'147'483'645, 2'147'483'645));
    } else if (name == "arraytaskthrottle") {
        BERTH_TRY(const std::int64_t limit, whole_number(key, value, 0, 4'000'000));
        update.job.array_max_running = static_cast<std::uint32_t>(limit);
    } else if (name == "mailtype") {
        if (!parse_mail_types(value)) return invalid_argument("Invalid MailType value: " + value);
        update.job.mail_type = value;
    } else if (name == "mailuser") {
        update.job.mail_user = value;
    } else if (name == "stdout") {
        update.job.std_out = value;
    } else if (name == "requeue") {
        if (value != "0" && value != "1")
            return invalid_argument("scontrol: error: Invalid Requeue value: " + value);
        update.job.requeue = value == "1";
    } else if (name == "starttime" || name == "eligibletime") {
        BERTH_TRY(update.job.begin, parse_when(value, now, true));
    } else {
        return set_request_key(update.job, name, key, value, now);
    }
    return Done{};
}

Status set_node_key(api::NodePatch& node, const std::string& key, const std::string& value) {
    if (iequals(key, "State")) {
        const bool known = std::ranges::any_of(
            std::to_array<std::string_view>({"DRAIN", "RESUME", "UNDRAIN", "DOWN", "IDLE"}),
            [&](std::string_view state) { return iequals(state, value); });
        if (!known) {
            return invalid_argument("Invalid node state specified: " + value +
                                    "; there are DRAIN, RESUME, UNDRAIN, DOWN, IDLE");
        }
        std::string upper = value;
        std::ranges::transform(upper, upper.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        });
        node.state = upper == "UNDRAIN" ? "RESUME" : upper;
    } else if (iequals(key, "Reason")) {
        node.reason = value;
    } else if (iequals(key, "BerthGpus")) {
        const Result<BitSet> gpus = BitSet::parse(value, kDevicesPerNodeMax);
        if (!gpus.ok())
            return invalid_argument("Invalid BerthGpus value: " + value + "; write 0,2-3");
        for (std::size_t gpu = gpus->find_first(); gpu != BitSet::kNone;
             gpu = gpus->find_next(gpu)) {
            node.gpus.push_back(static_cast<std::uint32_t>(gpu));
        }
    } else if (iequals(key, "Comment")) {
        node.change.comment = value;
    } else if (iequals(key, "Extra")) {
        node.change.extra = value;
    } else if (iequals(key, "Weight")) {
        const auto weight = parse_int64(value);
        if (!weight.ok() || *weight < 0 || *weight > 0xffff'fffeLL) {
            return invalid_argument("scontrol: error: Weight value (" + value +
                                    ") is not a valid number");
        }
        node.change.weight = static_cast<std::uint32_t>(*weight);
    } else if (iequals(key, "Features") || iequals(key, "AvailableFeatures") ||
               iequals(key, "ActiveFeatures")) {
        std::vector<std::string>& features = node.change.features.emplace();
        for (const auto feature : split(value, ',')) {
            if (!trim(feature).empty()) features.emplace_back(trim(feature));
        }
    } else {
        return invalid_argument("Update of this parameter is not supported: " + key + "=" + value);
    }
    return Done{};
}

}  // namespace

std::vector<std::string> with_job_named(std::vector<std::string> words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (!iequals(words[i], "job") && !iequals(words[i], "jobid")) continue;
        words[i] += "=" + words[i + 1];
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    return words;
}

Updated what_is_updated(const std::vector<std::string>& words) {
    const bool of_job_or_node = std::ranges::any_of(words, [](const std::string& word) {
        const std::string_view key = std::string_view(word).substr(0, word.find('='));
        return key.size() < word.size() &&
               (iequals(key, "JobId") || iequals(key, "Job") || iequals(key, "NodeName"));
    });
    if (of_job_or_node) return Updated::job_or_node;
    if (!reservation_named(words).empty()) return Updated::reservation;
    const bool of_partition = std::ranges::any_of(
        words, [](const std::string& word) { return starts_with_icase(word, "partition"); });
    return of_partition ? Updated::partition : Updated::job_or_node;
}

Result<Update> parse_update(const std::vector<std::string>& words, Time now) {
    Update update;
    std::vector<std::pair<std::string, std::string>> keys;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            return invalid_argument("Invalid input: " + word + "; write KEY=VALUE");
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        if (iequals(key, "JobId") || iequals(key, "Job")) {
            for (const auto id : split(value, ',')) {
                if (trim(id).empty())
                    return invalid_argument(word + " names no job; write JobId=12 or JobId=12,13");
                update.names.emplace_back(trim(id));
            }
        } else if (iequals(key, "NodeName")) {
            BERTH_TRY(update.names, expand_hostlist(value));
            update.node.emplace();
        } else if (iequals(key, "StepId")) {
            return invalid_argument("update of " + key + " is not supported yet");
        } else {
            keys.emplace_back(key, value);
        }
    }
    if (update.names.empty()) {
        return invalid_argument(
            "No valid entity in update command; begin with JobId= or NodeName=");
    }
    for (const auto& [key, value] : keys) {
        const Status set = update.node ? set_node_key(*update.node, key, value)
                                       : set_job_key(update, key, value, now);
        if (!set.ok()) return set.error();
    }
    if (keys.empty()) return invalid_argument("No changes specified");
    return update;
}

}  // namespace berth::slurm
