#include "berth/slurm/show/partition_text.h"

#include <array>

#include "berth/base/assert.h"
#include "berth/base/duration_text.h"
#include "berth/base/size_text.h"
#include "berth/base/text.h"
#include "berth/model/partition_keys.h"
#include "berth/slurm/show/show_format.h"
#include "berth/slurm/text/print.h"

namespace berth::slurm {
namespace {

std::string field_text(const PartitionKey& key, const std::string& text) {
    if (!text.empty()) return text;
    if (key.value == PartitionValue::qos) return "N/A";
    return key.value == PartitionValue::job_defaults ? "(null)" : "";
}
std::string field_text(const PartitionKey&, bool flag) { return flag ? "YES" : "NO"; }
std::string field_text(const PartitionKey&, std::uint32_t count) { return std::to_string(count); }
std::string field_text(const PartitionKey&, std::int64_t count) { return std::to_string(count); }

std::string field_text(const PartitionKey& key, const std::optional<Duration>& time) {
    const bool is_over_time = key.value == PartitionValue::over_time;
    if (!time && (is_over_time || key.value == PartitionValue::time_or_none)) return "NONE";
    return is_over_time ? std::to_string(*time / std::chrono::minutes(1)) : format_time_limit(time);
}

std::string field_text(const PartitionKey&, const std::optional<std::uint32_t>& limit) {
    return limit ? std::to_string(*limit) : "UNLIMITED";
}

std::string field_text(const PartitionKey&, const std::optional<std::int64_t>& bytes) {
    return bytes ? std::to_string(in_mib(Bytes(*bytes))) : "UNLIMITED";
}

std::string field_text(const PartitionKey& key, const std::vector<std::string>& names) {
    if (key.value == PartitionValue::nodes) return nodes_text(names, "(null)");
    if (key.value == PartitionValue::hosts) return nodes_text(names, "ALL");
    return names.empty() ? "ALL" : join(names, ",");
}

const PartitionKey& key_named(std::string_view name) {
    const PartitionKey* const key = find_partition_key(name);
    BERTH_ASSERT(key != nullptr);
    return *key;
}

// The keys of each line, as Slurm orders them. "A|B": B if the partition has it, otherwise A.
constexpr auto kPartitionLines = std::to_array<std::string_view>({
    "PartitionName",
    "AllowGroups AllowAccounts|DenyAccounts AllowQos|DenyQos",
    "AllocNodes Default QoS",
    "DefaultTime DisableRootJobs ExclusiveUser ExclusiveTopo GraceTime Hidden",
    "MaxNodes MaxTime MinNodes LLN MaxCPUsPerNode MaxCPUsPerSocket",
    "Nodes",
    "PriorityJobFactor PriorityTier RootOnly ReqResv OverSubscribe",
    "OverTimeLimit PreemptMode",
    "State TotalCPUs TotalNodes SelectTypeParameters",
    "JobDefaults",
    "DefMemPerNode|DefMemPerCPU MaxMemPerNode|MaxMemPerCPU",
    "TRES",
});

}  // namespace

std::string partition_text(const api::PartitionRow& partition, std::string_view name) {
    if (name == "TotalCPUs") return std::to_string(partition.total_cpus);
    if (name == "TotalNodes") return std::to_string(partition.nodes.size());
    if (name == "TRES") return partition.tres;
    const PartitionKey& key = key_named(name);
    std::string text(key.shown);
    with_field(partition, key.field, [&](const auto& field) { text = field_text(key, field); });
    return text;
}

bool has_value(const api::PartitionRow& partition, std::string_view name) {
    bool has = false;
    with_field(partition, key_named(name).field, [&](const auto& field) {
        if constexpr (requires { field.has_value(); }) has = field.has_value();
        if constexpr (requires { field.empty(); }) has = !field.empty();
    });
    return has;
}

void print_partition(std::ostream& out, const api::PartitionRow& partition, bool one_line) {
    ShowRecord record(out, one_line);
    for (const std::string_view line : kPartitionLines) {
        if (line != kPartitionLines.front()) record.line();
        for (const std::string_view word : split(line, ' ')) {
            const std::size_t bar = word.find('|');
            const bool other = bar != word.npos && has_value(partition, word.substr(bar + 1));
            const std::string_view key = other ? word.substr(bar + 1) : word.substr(0, bar);
            record.put(key, partition_text(partition, key));
        }
    }
    record.end();
}

}  // namespace berth::slurm
