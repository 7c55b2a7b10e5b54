#include "berth/slurm/admin/scontrol_partition.h"

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/model/invalid_argument.h"

namespace berth::slurm {
namespace {

using Strings = std::vector<std::string>;

struct Word {
    std::string_view text, key, value;
    char sign = '=';  // '+' and '-' of "Nodes+=" and "Nodes-=".
};

Error invalid_input(const Word& word) {
    return invalid_argument("Invalid input " + std::string(word.text));
}

bool names_partition(std::string_view key) {
    return iequals(key, "PartitionName") || iequals(key, "partition");
}

// "ALL" is every one, which an empty list says.
Strings names_of(std::string_view value) {
    Strings names;
    if (value.empty() || iequals(value, "ALL")) return names;
    for (const auto name : split(value, ',')) names.emplace_back(trim(name));
    return names;
}

Status set_nodes(PartitionChange& change, const Word& word) {
    Strings names{"ALL"};
    if (!iequals(word.value, "ALL")) {
        BERTH_TRY(names, expand_hostlist(word.value));
    }
    if (word.sign == '+') {
        change.nodes_added = std::move(names);
    } else if (word.sign == '-') {
        change.nodes_removed = std::move(names);
    } else {
        change.nodes = std::move(names);
    }
    return Done{};
}

Status set_flag(std::optional<bool>& flag, const Word& word) {
    if (!iequals(word.value, "YES") && !iequals(word.value, "NO")) return invalid_input(word);
    flag = iequals(word.value, "YES");
    return Done{};
}

Status set_time(std::optional<std::string>& time, const Word& word) {
    const bool none = iequals(word.value, "NONE") && iequals(word.key, "DefaultTime");
    if (!none && !parse_time_limit(word.value).ok()) return invalid_input(word);
    time = word.value;
    return Done{};
}

Result<std::int64_t> count_of(const Word& word, std::int64_t most) {
    const auto number = parse_int64(word.value);
    if (!number.ok() || *number < 0 || *number > most) return invalid_input(word);
    return number;
}

// In megabytes, as slurm.conf has it.
Status set_memory(std::optional<std::int64_t>& bytes, const Word& word) {
    if (iequals(word.value, "UNLIMITED")) {
        bytes = 0;
        return Done{};
    }
    BERTH_TRY(const std::int64_t mebibytes, count_of(word, std::int64_t{1} << 40));
    bytes = mebibytes << 20;
    return Done{};
}

Status set_number(std::optional<std::int64_t>& number, const Word& word) {
    BERTH_TRY(number, count_of(word, 65533));
    return Done{};
}

Status set_max_nodes(PartitionChange& change, const Word& word) {
    change.max_nodes = -1;
    if (iequals(word.value, "UNLIMITED")) return Done{};
    BERTH_TRY(change.max_nodes, count_of(word, 65536));
    return Done{};
}

Status set_min_nodes(PartitionChange& change, const Word& word) {
    BERTH_TRY(const std::int64_t count, count_of(word, 65536));
    change.min_nodes = static_cast<std::uint32_t>(count);
    return Done{};
}

Status set_state(PartitionChange& change, const Word& word) {
    const auto states = std::to_array<std::string_view>({"UP", "DOWN", "DRAIN", "INACTIVE"});
    for (const std::string_view state : states) {
        if (!iequals(word.value, state)) continue;
        change.state = state;
        return Done{};
    }
    return invalid_argument(
        "Invalid input: " + std::string(word.text) +
        "\nscontrol: error: Acceptable State values are UP, DOWN, DRAIN and INACTIVE");
}

Status set_oversubscribe(PartitionChange& change, const Word& word) {
    const bool exclusive = iequals(word.value, "EXCLUSIVE");
    if (!exclusive && !iequals(word.value, "NO")) {
        return invalid_argument(
            std::string(word.text) +
            " is not supported yet: jobs never share cores or devices; there are NO and "
            "EXCLUSIVE");
    }
    change.exclusive = exclusive;
    return Done{};
}

Status set_priority(PartitionChange& change, const Word& word) {
    BERTH_CHECK(set_number(change.priority_job_factor, word));
    change.priority_tier = change.priority_job_factor;
    return Done{};
}

struct PartitionKey {
    std::string_view name;
    Status (*set)(PartitionChange&, const Word&);  // Null: not built.
};

#define BERTH_LIST(field)                                  \
    [](PartitionChange& change, const Word& w) -> Status { \
        change.field = names_of(w.value);                  \
        return Done{};                                     \
    }
#define BERTH_SET(how, field) \
    [](PartitionChange& change, const Word& w) -> Status { return how(change.field, w); }

constexpr auto kPartitionKeys = std::to_array<PartitionKey>({
    {"AllowAccounts", BERTH_LIST(allow_accounts)},
    {"AllowGroups", BERTH_LIST(allow_groups)},
    {"AllowQos", BERTH_LIST(allow_qos)},
    {"DenyAccounts", BERTH_LIST(deny_accounts)},
    {"DenyQos", BERTH_LIST(deny_qos)},
    {"Default", BERTH_SET(set_flag, is_default)},
    {"DefaultTime", BERTH_SET(set_time, default_time)},
    {"DefMemPerCPU", BERTH_SET(set_memory, default_memory_per_cpu)},
    {"DefMemPerNode", BERTH_SET(set_memory, default_memory_per_node)},
    {"Hidden", BERTH_SET(set_flag, hidden)},
    {"MaxMemPerCPU", BERTH_SET(set_memory, max_memory_per_cpu)},
    {"MaxMemPerNode", BERTH_SET(set_memory, max_memory_per_node)},
    {"MaxNodes", set_max_nodes},
    {"MaxTime", BERTH_SET(set_time, max_time)},
    {"MinNodes", set_min_nodes},
    {"Nodes", set_nodes},
    {"OverSubscribe", set_oversubscribe},
    {"Priority", set_priority},
    {"PriorityJobFactor", BERTH_SET(set_number, priority_job_factor)},
    {"PriorityTier", BERTH_SET(set_number, priority_tier)},
    {"RootOnly", BERTH_SET(set_flag, root_only)},
    {"Shared", set_oversubscribe},
    {"State", set_state},
    {"AllocNodes", nullptr},
    {"Alternate", nullptr},
    {"CpuBind", nullptr},
    {"DisableRootJobs", nullptr},
    {"ExclusiveTopo", nullptr},
    {"ExclusiveUser", nullptr},
    {"GraceTime", nullptr},
    {"JobDefaults", nullptr},
    {"LLN", nullptr},
    {"MaxCPUsPerNode", nullptr},
    {"MaxCPUsPerSocket", nullptr},
    {"OverTimeLimit", nullptr},
    {"PowerDownOnIdle", nullptr},
    {"PreemptMode", nullptr},
    {"QOS", nullptr},
    {"ReqResv", nullptr},
    {"TRESBillingWeights", nullptr},
});

#undef BERTH_LIST
#undef BERTH_SET

Word word_of(std::string_view text) {
    const std::size_t equals = text.find('=');
    Word word{.text = text, .key = text.substr(0, equals), .value = {}};
    if (equals != std::string_view::npos) word.value = text.substr(equals + 1);
    if (!word.key.empty() && (word.key.back() == '+' || word.key.back() == '-')) {
        word.sign = word.key.back();
        word.key.remove_suffix(1);
    }
    return word;
}

Status set(PartitionChange& change, const Word& word) {
    const auto key = std::ranges::find_if(
        kPartitionKeys, [&](const PartitionKey& one) { return iequals(one.name, word.key); });
    const bool listed = word.sign == '=' || iequals(word.key, "Nodes");
    if (key == kPartitionKeys.end() || !listed) {
        return invalid_argument("Update of this parameter is not supported: " +
                                std::string(word.text) + "\n\nscontrol: error: Request aborted");
    }
    if (key->set == nullptr)
        return invalid_argument(std::string(key->name) + " is not supported yet");
    return key->set(change, word);
}

}  // namespace

std::string partition_named(const std::vector<std::string>& words) {
    for (const std::string& text : words) {
        const Word word = word_of(text);
        if (names_partition(word.key)) return std::string(word.value);
    }
    return {};
}

Result<api::PartitionCall> parse_partition(const std::vector<std::string>& words) {
    api::PartitionCall call;
    for (const std::string& text : words) {
        const Word word = word_of(text);
        if (text.find('=') == std::string::npos) {
            if (iequals(text, "partition")) continue;
            return invalid_argument("Invalid input: " + text +
                                    "\nscontrol: error: Request aborted");
        }
        if (names_partition(word.key)) {
            call.name = word.value;
        } else if (const Status done = set(call.change, word); !done.ok()) {
            return done.error();
        }
    }
    return call;
}

}  // namespace berth::slurm
