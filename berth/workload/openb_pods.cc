#include "berth/workload/openb_pods.h"

#include <array>

#include "berth/base/text.h"
#include "berth/workload/formats.h"
#include "berth/workload/rows.h"
#include "berth/workload/trace_values.h"

namespace berth::workload {
namespace {

constexpr std::int64_t kMebibytesMax = std::int64_t{1} << 40;

Result<NodeSpec> openb_node(const Table& table, Dimensions& dimensions) {
    BERTH_TRY(const std::int64_t cpus, parse_count(table.field("cpu_milli"), 0, kCpusMax * 1000));
    BERTH_TRY(const std::int64_t mebibytes,
              parse_count(table.field("memory_mib"), 0, kMebibytesMax));
    BERTH_TRY(const std::int64_t gpus,
              parse_count(table.field("gpu"), 0, static_cast<std::int64_t>(kDevicesPerNodeMax)));
    NodeSpec node;
    node.name = table.field("sn");
    node.capacity.set_cpu(Millicpu(cpus));
    node.capacity.set_memory(mib(mebibytes));
    if (gpus == 0) return node;
    const auto type = dimensions.intern("gpu", to_lower(table.field("model")));
    if (!type) return Error{ErrorCode::invalid_argument, "has one GPU model too many"};
    node.capacity[*type] = gpus;
    for (std::int64_t i = 0; i < gpus; ++i) {
        node.devices.push_back({.dimension = *type, .index = static_cast<std::uint32_t>(i)});
    }
    return node;
}

}  // namespace

Result<OpenbPod> openb_pod(const Table& table) {
    BERTH_TRY(const std::int64_t cpus, parse_count(table.field("cpu_milli"), 0, kCpusMax * 1000));
    BERTH_TRY(const std::int64_t mebibytes,
              parse_count(table.field("memory_mib"), 0, kMebibytesMax));
    BERTH_TRY(const std::int64_t gpus, parse_count(table.field("num_gpu"), 0, kGpusMax));
    BERTH_TRY(const std::int64_t milli, parse_count(table.field("gpu_milli"), 0, 1000));
    if (gpus > 1 && milli != 1000) {
        return Error{ErrorCode::invalid_argument,
                     "more than one GPU should be whole ones, gpu_milli 1000"};
    }
    OpenbPod pod{.name = std::string(table.field("name")),
                 .cpu = Millicpu(cpus),
                 .memory = mib(mebibytes),
                 .gpus = static_cast<std::int32_t>(gpus),
                 .milli = gpus == 0 ? 0 : static_cast<std::int32_t>(milli),
                 .models = {}};
    for (const std::string_view type : split(table.field("gpu_spec"), '|')) {
        if (!trim(type).empty()) pod.models.push_back(to_lower(trim(type)));
    }
    return pod;
}

Result<OpenbPods> read_openb_pods(std::string_view text) {
    constexpr auto kColumns = std::to_array<std::string_view>(
        {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"});
    OpenbPods all;
    const auto read = [&](const Table& table) -> Result<std::optional<TraceJob>> {
        BERTH_TRY(OpenbPod pod, openb_pod(table));
        all.pods.push_back(std::move(pod));
        return std::optional<TraceJob>();
    };
    BERTH_TRY(Workload rows, read_rows(text, ',', kColumns, read));
    all.errors = std::move(rows.errors);
    all.rows = rows.rows;
    all.bad = rows.bad;
    return all;
}

Result<ClusterSpec> read_openb_nodes(std::string_view text) {
    constexpr auto kColumns =
        std::to_array<std::string_view>({"sn", "cpu_milli", "memory_mib", "gpu", "model"});
    Table table(text, ',');
    BERTH_CHECK(table.require(kColumns));
    ClusterSpec cluster;
    while (table.next()) {
        auto node = openb_node(table, cluster.dimensions);
        if (!node.ok()) {
            return prefixed("line " + std::to_string(table.line()) + ": ", node.error());
        }
        cluster.nodes.push_back(std::move(node).value());
    }
    return cluster;
}

}  // namespace berth::workload
