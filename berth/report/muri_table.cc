#include "berth/report/muri_table.h"

#include <algorithm>
#include <array>

#include "berth/report/muri_loop.h"
#include "berth/report/simulation_metrics.h"
#include "berth/sim/simulation.h"
#include "berth/workload/table.h"
#include "berth/workload/trace_values.h"

namespace berth::report {
namespace {

using workload::Workload;

sim::SimulationOptions engine_options() {
    sim::SimulationOptions options{.cluster = cluster_of(8, 8)};
    SchedulingSpec& scheduling = options.cluster.scheduling;
    scheduling.rules.push_back(
        {.kind = "order",
         .name = "least_attained",
         .weight = 1,
         .settings = {{"first", 3250}, {"second", 32'500}, {"queues", 5}, {"factor", 10}}});
    scheduling.plan_depth = 1;
    // The same limit for all, which says nothing of any.
    options.submission.limit = sim::LimitRule::same;
    options.submission.limit_for_all = std::chrono::hours(24 * 900);
    options.time_slice = std::chrono::hours(1);
    options.wear.checkpoint = Duration(1);
    options.restart_cost_of = [](const workload::TraceJob& job) -> Duration {
        return std::chrono::seconds(muri_start_cost(job.name, job.gpus));
    };
    return options;
}

constexpr auto kMetrics = std::to_array<const char*>({"avg_jct", "makespan", "p99_jct"});

void add(std::vector<MuriRow>& rows, const std::string& trace, const std::string& policy,
         const std::string& published_policy, const std::array<double, 3>& ours,
         const std::map<std::string, double>& published) {
    const auto key_of = [&](const char* metric) {
        return published_policy + "|" + metric + "|" + trace;
    };
    for (std::size_t i = 0; i < kMetrics.size(); ++i) {
        const auto known = published.find(key_of(kMetrics[i]));
        rows.push_back({.trace = trace,
                        .policy = policy,
                        .metric = kMetrics[i],
                        .published = known == published.end() ? 0 : known->second,
                        .ours = ours[i],
                        .exact = policy == published_policy});
    }
}

}  // namespace

ClusterSpec cluster_of(std::uint32_t nodes, int gpus) {
    ClusterSpec cluster;
    cluster.name = "muri";
    const DimensionId gpu = *cluster.dimensions.intern("gpu", "");
    PartitionSpec partition;
    partition.name = "main";
    partition.is_default = true;
    for (std::uint32_t i = 0; i < nodes; ++i) {
        NodeSpec node;
        node.name = node.hostname = "node" + std::to_string(i + 1);
        node.sockets = 2;
        node.cores_per_socket = 46;
        node.memory = Bytes(std::int64_t{520} << 30);
        for (int device = 0; device < gpus; ++device) {
            node.devices.push_back({.dimension = gpu, .index = static_cast<std::uint32_t>(device)});
        }
        node.capacity.set_cpu(cores(node.cpus()));
        node.capacity.set_memory(node.memory);
        node.capacity[gpu] = gpus;
        node.gres_text = "gpu:" + std::to_string(gpus);
        cluster.nodes.push_back(std::move(node));
        partition.nodes.edit().push_back(NodeId{i});
    }
    cluster.partitions.push_back(std::move(partition));
    cluster.qos.push_back({.name = "normal"});
    return cluster;
}

Result<std::map<std::string, double>> read_muri_published(std::string_view csv) {
    constexpr auto kColumns = std::to_array<std::string_view>({"policy", "metric_seconds"});
    workload::Table table(csv, ',');
    BERTH_CHECK(table.require(kColumns));
    std::map<std::string, double> published;
    constexpr auto kTraces =
        std::to_array<const char*>({"trace1", "trace1_pr", "trace2", "trace2_pr", "trace3",
                                    "trace3_pr", "trace4", "trace4_pr"});
    while (table.next()) {
        for (const char* const trace : kTraces) {
            const std::string text(table.field(trace));
            if (text.empty()) continue;
            // To thousandths; the figures have up to nine digits before the point.
            BERTH_TRY(const std::int64_t value, workload::parse_thousandths(text));
            published[std::string(table.field("policy")) + "|" +
                      std::string(table.field("metric_seconds")) + "|" + trace] =
                static_cast<double>(value) / 1000;
        }
    }
    return published;
}

std::vector<MuriRow> muri_rows(const std::string& trace, const workload::MuriTrace& jobs,
                               const Workload& workload,
                               const std::map<std::string, double>& published) {
    std::vector<MuriRow> rows;
    for (const auto& [name, policy] : {std::pair("SRTF", MuriPolicy::srtf),
                                       {"SRSF", MuriPolicy::srsf},
                                       {"Tiresias", MuriPolicy::tiresias}}) {
        const MuriFigures ours = run_muri(jobs.jobs, policy);
        add(rows, trace, name, name, {ours.average_jct, ours.makespan, ours.p99_jct}, published);
    }
    // As in the paper's loop, an iteration takes 1.5 % more than the trace says.
    Workload slowed = workload;
    for (workload::TraceJob& job : slowed.jobs) job.run_time = job.run_time / 200 * 203;
    const Metrics metrics = metrics_of(slowed, sim::simulate(slowed, engine_options()));
    add(rows, trace, kMuriEngine, "Tiresias",
        {metrics.all.completion.mean, metrics.makespan, metrics.all.completion.p99}, published);
    return rows;
}

}  // namespace berth::report
