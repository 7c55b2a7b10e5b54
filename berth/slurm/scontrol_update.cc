#include "berth/slurm/scontrol_update.h"

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/slurm/when.h"

namespace berth::slurm {
namespace {

Error wrong(const std::string& text) { return {ErrorCode::invalid_argument, text}; }

Status set_time_limit(Update& update, const std::string& value) {
    const bool relative = !value.empty() && (value[0] == '+' || value[0] == '-') && value != "-1";
    const auto limit =
        parse_time_limit(relative ? std::string_view(value).substr(1) : std::string_view(value));
    if (!limit.ok()) return wrong("Invalid TimeLimit value: " + value);
    if (!relative) {
        update.job.time_limit = value;
    } else if (limit.value()) {
        update.time_limit_by = value[0] == '-' ? -*limit.value() : *limit.value();
    }
    return Done{};
}

Result<std::int64_t> whole(const std::string& key, const std::string& value, std::int64_t low,
                           std::int64_t high) {
    const auto number = parse_int64(value);
    if (number.ok() && number.value() >= low && number.value() <= high) return number;
    return wrong("Invalid " + key + " value: " + value);
}

Status set_job_key(Update& update, const std::string& key, const std::string& value, Time now) {
    const std::string name = to_lower(key);
    if (name == "timelimit") return set_time_limit(update, value);
    if (name == "partition")
        update.job.partition = value;
    else if (name == "qos")
        update.job.qos = value;
    else if (name == "name" || name == "jobname")
        update.job.name = value;
    else if (name == "comment")
        update.job.comment = value;
    else if (name == "dependency")
        update.job.dependency = value;
    else if (name == "nodelist" || name == "reqnodelist") {
        BERTH_TRY(update.job.nodelist, expand_hostlist(value));
    } else if (name == "priority") {
        BERTH_TRY(const std::int64_t priority, whole(key, value, 0, 0xffff'fffeLL));
        update.job.priority = static_cast<std::uint32_t>(priority);
    } else if (name == "sitefactor") {
        BERTH_TRY(update.job.site_factor, whole(key, value, -2'147'483'645, 2'147'483'645));
    } else if (name == "nice") {
        BERTH_TRY(update.job.nice, whole(key, value, -2'147'483'645, 2'147'483'645));
    } else if (name == "arraytaskthrottle") {
        BERTH_TRY(const std::int64_t limit, whole(key, value, 0, 4'000'000));
        update.job.array_max_running = static_cast<std::uint32_t>(limit);
    } else if (name == "starttime" || name == "eligibletime") {
        BERTH_TRY(update.job.begin, parse_when(value, now, true));
    } else {
        return wrong("Update of this parameter is not supported: " + key + "=" + value);
    }
    return Done{};
}

Status set_node_key(api::NodePatch& node, const std::string& key, const std::string& value) {
    if (iequals(key, "State")) {
        const bool known = std::ranges::any_of(
            std::to_array<std::string_view>({"DRAIN", "RESUME", "UNDRAIN", "DOWN", "IDLE"}),
            [&](std::string_view state) { return iequals(state, value); });
        if (!known)
            return wrong("Invalid node state specified: " + value +
                         "; there are DRAIN, RESUME, UNDRAIN, DOWN, IDLE");
        std::string upper = value;
        std::ranges::transform(upper, upper.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        });
        node.state = upper == "UNDRAIN" ? "RESUME" : upper;
    } else if (iequals(key, "Reason")) {
        node.reason = value;
    } else {
        return wrong("Update of this parameter is not supported: " + key + "=" + value);
    }
    return Done{};
}

}  // namespace

Result<Update> parse_update(const std::vector<std::string>& words, Time now) {
    Update update;
    std::vector<std::pair<std::string, std::string>> keys;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos)
            return wrong("Invalid input: " + word + "; write KEY=VALUE");
        const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
        if (iequals(key, "JobId") || iequals(key, "Job")) {
            for (const auto id : split(value, ',')) update.names.emplace_back(trim(id));
        } else if (iequals(key, "NodeName")) {
            BERTH_TRY(update.names, expand_hostlist(value));
            update.node.emplace();
        } else if (iequals(key, "PartitionName") || iequals(key, "ReservationName") ||
                   iequals(key, "StepId")) {
            return wrong("update of " + key + " is not supported yet");
        } else {
            keys.emplace_back(key, value);
        }
    }
    if (update.names.empty())
        return wrong("No valid entity in update command; begin with JobId= or NodeName=");
    for (const auto& [key, value] : keys) {
        const Status set = update.node ? set_node_key(*update.node, key, value)
                                       : set_job_key(update, key, value, now);
        if (!set.ok()) return set.error();
    }
    if (keys.empty()) return wrong("No changes specified");
    return update;
}

}  // namespace berth::slurm
