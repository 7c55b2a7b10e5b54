#include "berth/model/partition_keys.h"
#include "berth/model/oversubscribe.h"

#include <algorithm>
#include <array>

#include "berth/base/duration_text.h"
#include "berth/base/hostlist.h"
#include "berth/base/text.h"
#include "berth/base/yes_no.h"
#include "berth/model/invalid_argument.h"
#include "berth/model/partition_state.h"

namespace berth {
namespace {

constexpr auto make_partition_keys() {
    using enum PartitionValue;
    return std::to_array<PartitionKey>({
        {"PartitionName", name, "name", "name"},
        {"Nodes", nodes, "nodes", "nodes"},
        {"Default", flag, "is_default", "default"},
        {"MaxTime", time, "max_time", "max_time"},
        {"DefaultTime", time_or_none, "default_time", "default_time"},
        {"MinNodes", node_count, "min_nodes", "min_nodes"},
        {"MaxNodes", node_limit, "max_nodes", "max_nodes"},
        {"State", state, "state", "state"},
        {"Priority", both_priorities},
        {"PriorityJobFactor", priority, "priority_job_factor", "priority_job_factor"},
        {"PriorityTier", priority, "priority_tier", "priority_tier"},
        {"DefMemPerCPU", memory, "default_memory_per_cpu", "default_memory_per_cpu_mb"},
        {"DefMemPerNode", memory, "default_memory_per_node", "default_memory_per_node_mb"},
        {"MaxMemPerCPU", memory, "max_memory_per_cpu"},
        {"MaxMemPerNode", memory, "max_memory_per_node"},
        {"AllowAccounts", accounts, "allow_accounts"},
        {"DenyAccounts", accounts, "deny_accounts"},
        {"AllowGroups", names, "allow_groups"},
        {"AllowQos", names, "allow_qos"},
        {"DenyQos", names, "deny_qos"},
        {"Hidden", flag, "hidden"},
        {"RootOnly", flag, "root_only"},
        {"TRESBillingWeights", billing_weights, {}, "billing_weights"},
        {"OverSubscribe", oversubscribe, "oversubscribe"},
        {"Shared", oversubscribe, "oversubscribe"},
        {"PreemptMode", preempt_mode, "preempt_mode", "preempt_mode"},
        {"GraceTime", seconds, "grace_time", "grace_time"},
        {"DisableRootJobs", flag, "disable_root_jobs"},
        {"JobDefaults", job_defaults, "job_defaults", "job_defaults"},
        {"DefCpuPerGPU", job_default},
        {"DefMemPerGPU", job_default},
        {"QOS", qos, "qos", "qos"},
        {"ReqResv", flag, "requires_reservation"},
        {"AllocNodes", hosts, "alloc_nodes"},
        {"Alternate", without_effect},
        {"CpuBind", without_effect},
        {"ExclusiveTopo", without_effect, {}, {}, "NO"},
        {"ExclusiveUser", without_effect, {}, {}, "NO"},
        {"LLN", flag, "least_loaded_nodes"},
        {"MaxCPUsPerNode", node_limit, "max_cpus_per_node", "max_cpus_per_node"},
        {"MaxCPUsPerSocket", without_effect, {}, {}, "UNLIMITED"},
        {"OverTimeLimit", over_time, "over_time_limit"},
        {"PowerDownOnIdle", without_effect},
        {"ResumeTimeout", without_effect},
        {"SelectTypeParameters", without_effect, {}, {}, "NONE"},
        {"SuspendTime", without_effect},
        {"SuspendTimeout", without_effect},
        {"Topology", without_effect},
    });
}
constexpr auto kPartitionKeys = make_partition_keys();

// A key and what it should be set to.
struct PartitionSetting {
    const PartitionKey& key;
    std::string_view value;

    Error should_be(std::string_view right) const {
        return invalid_argument(std::string(key.name) + "=" + std::string(value) + " should be " +
                                std::string(right));
    }
    Result<std::int64_t> number(std::int64_t most) const {
        const auto number = parse_int64(value);
        if (number.ok() && *number >= 0 && *number <= most) return *number;
        return should_be("a whole number from 0 to " + std::to_string(most));
    }
};

constexpr std::int64_t kPartitionPriorityMax = 65533, kPartitionNodesMax = 65536,
                       kPartitionMebibytesMax = std::int64_t{1} << 40,
                       kPartitionSecondsMax = 365 * 86'400, kPartitionOverTimeMax = 65'533;

Status read_into(std::optional<bool>& field, const PartitionSetting& setting) {
    field = parse_yes_no(setting.value);
    if (!field) return setting.should_be("YES or NO");
    return Done{};
}

// A state, a mode or a length of time, which is parsed again where it takes effect.
Status read_into(std::optional<std::string>& field, const PartitionSetting& setting) {
    field = setting.value;
    if (setting.key.value == PartitionValue::state) {
        const auto known = partition_state_of(setting.value);
        if (!known) return setting.should_be("UP, DOWN, DRAIN or INACTIVE");
        field = slurm_name(*known);
        return Done{};
    }
    if (setting.key.value == PartitionValue::preempt_mode) {
        BERTH_TRY(const PreemptModes modes, parse_preempt_mode(setting.value));
        if (modes.within) return setting.should_be("OFF, CANCEL, REQUEUE, SUSPEND or CHECKPOINT");
        field = preempt_mode_text(modes.mode);
        return Done{};
    }
    if (setting.key.value == PartitionValue::job_defaults) {
        BERTH_CHECK(parse_job_defaults(setting.value));
        return Done{};
    }
    if (setting.key.value == PartitionValue::qos) {
        if (iequals(setting.value, "N/A") || iequals(setting.value, "NONE")) field->clear();
        return Done{};
    }
    if (setting.key.value == PartitionValue::time_or_none && iequals(setting.value, "NONE"))
        return Done{};
    const auto limit = parse_time_limit(setting.value);
    if (!limit.ok())
        return invalid_argument(std::string(setting.key.name) + ": " + limit.error().message);
    return Done{};
}

Status read_into(std::optional<std::uint32_t>& field, const PartitionSetting& setting) {
    BERTH_TRY(const std::int64_t count, setting.number(kPartitionNodesMax));
    field = static_cast<std::uint32_t>(count);
    return Done{};
}

Status read_into(std::optional<std::int64_t>& field, const PartitionSetting& setting) {
    const bool unlimited = iequals(setting.value, "UNLIMITED");
    if (setting.key.value == PartitionValue::memory) {
        field = 0;
        if (unlimited) return Done{};
        BERTH_TRY(const std::int64_t mebibytes, setting.number(kPartitionMebibytesMax));
        field = mebibytes << 20;
        return Done{};
    }
    if (setting.key.value == PartitionValue::node_limit) {
        field = -1;
        if (unlimited) return Done{};
        BERTH_TRY(field, setting.number(kPartitionNodesMax));
        return Done{};
    }
    if (setting.key.value == PartitionValue::over_time) {
        field = -1;
        if (iequals(setting.value, "NONE")) return Done{};
        BERTH_TRY(field, setting.number(kPartitionOverTimeMax));
        return Done{};
    }
    if (setting.key.value == PartitionValue::seconds) {
        BERTH_TRY(field, setting.number(kPartitionSecondsMax));
        return Done{};
    }
    BERTH_TRY(field, setting.number(kPartitionPriorityMax));
    return Done{};
}

Status read_into(std::optional<std::vector<std::string>>& field, const PartitionSetting& setting) {
    field.emplace();
    const bool all = iequals(setting.value, "ALL");
    if (setting.key.value == PartitionValue::nodes) {
        if (all) {
            field->emplace_back("ALL");
            return Done{};
        }
        BERTH_TRY(field, expand_hostlist(setting.value));
        return Done{};
    }
    if (all || setting.value.empty()) return Done{};
    if (setting.key.value == PartitionValue::hosts) {
        BERTH_TRY(field, expand_hostlist(setting.value));
        return Done{};
    }
    for (const auto one : split(setting.value, ',')) {
        const std::string_view text = trim(one);
        field->push_back(setting.key.value == PartitionValue::accounts ? to_lower(text)
                                                                       : std::string(text));
    }
    return Done{};
}

// One of what JobDefaults lists, under its own name.
Status read_job_default(PartitionChange& change, const PartitionSetting& setting) {
    const std::string one = std::string(setting.key.name) + "=" + std::string(setting.value);
    BERTH_CHECK(parse_job_defaults(one));
    const std::string before = change.job_defaults.value_or("");
    change.job_defaults = before.empty() ? one : before + "," + one;
    return Done{};
}

// YES:1 is NO.
Status read_oversubscribe(PartitionChange& change, const PartitionSetting& setting) {
    BERTH_TRY(const std::string value, parse_oversubscribe(setting.value));
    change.exclusive = value == "EXCLUSIVE";
    change.ignores_exclusive = value == PartitionSpec::kForceOne;
    change.sharing = core_sharing_of(value).jobs > 1 ? value : "";
    return Done{};
}

}  // namespace

std::span<const PartitionKey> partition_keys() { return kPartitionKeys; }

const PartitionKey* find_partition_key(std::string_view name) {
    const auto found = std::ranges::find_if(
        kPartitionKeys, [&](const PartitionKey& key) { return iequals(key.name, name); });
    return found == kPartitionKeys.end() ? nullptr : &*found;
}

Status set_value(PartitionChange& change, const PartitionKey& key, std::string_view value) {
    const PartitionSetting setting{key, value};
    if (key.value == PartitionValue::oversubscribe) return read_oversubscribe(change, setting);
    if (key.value == PartitionValue::job_default) return read_job_default(change, setting);
    if (key.value == PartitionValue::both_priorities) {
        BERTH_CHECK(read_into(change.priority_job_factor, setting));
        change.priority_tier = change.priority_job_factor;
        return Done{};
    }
    Status done = Done{};
    with_field(change, key.field, [&](auto& field) {
        if constexpr (requires { read_into(field, setting); }) done = read_into(field, setting);
    });
    return done;
}

}  // namespace berth
