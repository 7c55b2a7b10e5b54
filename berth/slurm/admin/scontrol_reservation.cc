#include "berth/slurm/admin/scontrol_reservation.h"

#include <algorithm>

#include "berth/base/duration_text.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"
#include "berth/slurm/text/argument_text.h"
#include "berth/slurm/text/print.h"
#include "berth/slurm/text/when.h"

namespace berth::slurm {
namespace {

std::vector<std::string> filled_items(std::string_view text) {
    std::vector<std::string> items;
    for (const auto one : split(text, ',')) {
        if (!trim(one).empty()) items.emplace_back(trim(one));
    }
    return items;
}

bool is_name_key(std::string_view key) {
    return iequals(key, "ReservationName") || iequals(key, "Reservation");
}

// "Users+=a", "Users-=a" and "Users=a": the sign, and the key without it.
struct ReservationKey {
    std::string name;
    char sign = '=';
};
ReservationKey reservation_key(std::string_view text) {
    if (text.ends_with('+') || text.ends_with('-')) {
        return {to_lower(text.substr(0, text.size() - 1)), text.back()};
    }
    return {to_lower(text), '='};
}

// "MAINT,DAILY"; "+MAINT" and "-MAINT" change what is there.
void set_flags(ReservationChange& change, char sign, std::string_view value) {
    if (value.starts_with('+') || value.starts_with('-')) {
        sign = value.front();
        value.remove_prefix(1);
    }
    for (std::string& flag : filled_items(value)) {
        (sign == '-' ? change.flags_removed : change.flags_added).push_back(std::move(flag));
    }
}

// A list is set, or changed by what stands before its "=" or before its names.
void set_list(std::optional<std::vector<std::string>>& whole, std::vector<std::string>& added,
              std::vector<std::string>& removed, char sign, std::string_view value) {
    if (sign == '=') {
        whole = filled_items(value);
        return;
    }
    for (std::string& one : filled_items(value)) (sign == '+' ? added : removed).push_back(one);
}

Status set_time_key(ReservationChange& change, const ReservationKey& key, const std::string& value,
                    Time now) {
    if (key.name == "duration") {
        const auto length = parse_time_limit(value);
        if (!length.ok()) return invalid_argument("Invalid duration: " + value);
        change.duration = length.value().value_or(std::chrono::hours(24 * 365));
        return Done{};
    }
    const auto when = parse_when(value, now, true);
    if (!when.ok()) return invalid_argument("Invalid time specification: " + value);
    (key.name == "starttime" ? change.start : change.end) = when.value();
    return Done{};
}

Status set_key(ReservationChange& change, const ReservationKey& key, const std::string& value,
               Time now, const std::string& word) {
    const std::string& name = key.name;
    if (name == "starttime" || name == "endtime" || name == "duration") {
        return set_time_key(change, key, value, now);
    }
    if (name == "nodes" || name == "nodelist") {
        change.nodes = value;
    } else if (name == "nodecnt" || name == "nodecount") {
        BERTH_TRY(const std::int64_t count, whole_number("NodeCnt", value, 1, 1'000'000));
        change.node_count = static_cast<std::uint32_t>(count);
    } else if (name == "corecnt" || name == "corecount") {
        BERTH_TRY(change.core_count, whole_number("CoreCnt", value, 1, 1'000'000));
    } else if (name == "tres") {
        change.tres = value;
    } else if (name == "partitionname" || name == "partition") {
        change.partition = value;
    } else if (name == "features") {
        change.features = value;
    } else if (name == "comment") {
        change.comment = value;
    } else if (name == "users") {
        set_list(change.users, change.users_added, change.users_removed, key.sign, value);
    } else if (name == "accounts") {
        set_list(change.accounts, change.accounts_added, change.accounts_removed, key.sign, value);
    } else if (name == "groups" && key.sign == '=') {
        change.groups = filled_items(value);
    } else if (name == "qos" && key.sign == '=') {
        change.qos = filled_items(value);
    } else if (name == "flags") {
        set_flags(change, key.sign, value);
    } else if (name == "licenses" || name == "maxstartdelay" || name == "burstbuffer" ||
               name == "watts" || name == "skip") {
        return invalid_argument(word.substr(0, word.find('=')) +
                                " of a reservation is not supported yet");
    } else {
        return invalid_argument("Unknown parameter " + word);
    }
    return Done{};
}

}  // namespace

std::string reservation_named(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals != std::string::npos && is_name_key(word.substr(0, equals)))
            return word.substr(equals + 1);
    }
    return {};
}

Result<api::ReservationCall> parse_reservation(const std::vector<std::string>& words, Time now) {
    api::ReservationCall call{.name = reservation_named(words), .change = {}};
    call.change.utc_offset = utc_offset_at(now);
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) return invalid_argument("Unknown parameter " + word);
        if (is_name_key(word.substr(0, equals))) continue;
        BERTH_CHECK(set_key(call.change, reservation_key(word.substr(0, equals)),
                            word.substr(equals + 1), now, word));
    }
    return call;
}

Status check_new_reservation(const ReservationChange& change) {
    constexpr std::string_view kNone = "  No reservation created.";
    if (!change.start) return invalid_argument("A start time must be given." + std::string(kNone));
    if (!change.end && !change.duration)
        return invalid_argument("An end time or duration must be given." + std::string(kNone));
    if (!change.nodes && !change.node_count && !change.core_count && !change.tres) {
        return invalid_argument(
            "CoreCnt, Nodes, NodeCnt, BurstBuffer, Licenses or Watts must be specified." +
            std::string(kNone));
    }
    if (!change.users && !change.groups && !change.accounts && !change.qos) {
        return invalid_argument("Either Users/Groups and/or Accounts must be specified." +
                                std::string(kNone));
    }
    return Done{};
}

}  // namespace berth::slurm
