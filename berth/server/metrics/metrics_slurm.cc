// Slurm 25.11's metrics under its names, as its OpenMetrics plugin gives them: gauges all. What
// Berth has no counterpart of is left out.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <vector>

#include "berth/server/metrics/metrics.h"
#include "berth/server/views/cluster_rows.h"

namespace berth {
namespace {

struct JobSums {
    std::map<std::string, std::int64_t> by_name;  // "jobs_running" → how many.

    void add(const ClusterSpec& spec, const Job& job);
};

struct StateName {
    JobState state;
    const char* name;
};
constexpr auto kJobStates = std::to_array<StateName>({
    {JobState::pending, "pending"},
    {JobState::running, "running"},
    {JobState::completing, "completing"},
    {JobState::completed, "completed"},
    {JobState::failed, "failed"},
    {JobState::cancelled, "cancelled"},
    {JobState::timeout, "timeout"},
    {JobState::node_fail, "node_failed"},
    {JobState::preempted, "preempted"},
    {JobState::out_of_memory, "outofmemory"},
    {JobState::boot_fail, "bootfail"},
    {JobState::deadline, "deadline"},
});

const char* name_of(JobState state) {
    return std::ranges::find(kJobStates, state, &StateName::state)->name;
}

struct Sum {
    const char* name;
    const char* help;
};
constexpr auto kJobSums = std::to_array<Sum>({
    {"", "Jobs that the controller knows, each task of an array as one."},
    {"_pending", "Of these, pending."},
    {"_hold", "Pending and held."},
    {"_running", "Running."},
    {"_suspended", "Suspended."},
    {"_completing", "Completing."},
    {"_completed", "Completed, and not yet forgotten."},
    {"_failed", "Failed, likewise."},
    {"_cancelled", "Cancelled, likewise."},
    {"_timeout", "Ended at their time limit, likewise."},
    {"_node_failed", "Ended by the failure of a node, likewise."},
    {"_preempted", "Ended by preemption, likewise."},
    {"_outofmemory", "Ended for want of memory, likewise."},
    {"_bootfail", "Ended since a node did not boot, likewise."},
    {"_deadline", "Ended at their deadline, likewise."},
    {"_started", "Jobs that have started at some time, and are not yet forgotten."},
    {"_finished", "Jobs that are over, likewise."},
    {"_requeued", "Pending jobs that have run before."},
    {"_cpus_alloc", "CPUs that jobs hold."},
    {"_gpus_alloc", "GPUs that jobs hold."},
    {"_nodes_alloc", "Nodes of each job that holds some, summed."},
    {"_memory_alloc", "Bytes of memory that jobs hold."},
});

void JobSums::add(const ClusterSpec& spec, const Job& job) {
    const bool is_pending = job.state == JobState::pending;
    const std::int64_t tasks =
        is_pending && job.spec.array ? static_cast<std::int64_t>(job.spec.array->tasks.size()) : 1;
    by_name[""] += tasks;
    by_name[job.is_suspended() ? "_suspended" : std::string("_") + name_of(job.state)] += tasks;
    if (is_pending && job.hold != Hold::none) by_name["_hold"] += tasks;
    if (is_pending && job.restarts > 0) by_name["_requeued"] += tasks;
    if (!is_pending && job.started_at) by_name["_started"] += 1;
    if (is_final(job.state)) by_name["_finished"] += 1;
    if (!job.allocation) return;
    by_name["_cpus_alloc"] += job.cpus;
    by_name["_gpus_alloc"] += gpus_in(spec, *job.allocated);
    by_name["_memory_alloc"] += job.allocated->memory().count();
    by_name["_nodes_alloc"] += static_cast<std::int64_t>(job.allocation->shares.size());
}

// ---- Nodes.

bool has(const api::NodeRow& row, std::string_view flag) {
    return std::ranges::find(row.flags, flag) != row.flags.end();
}

struct NodeSum {
    const char* name;
    const char* help;
    bool (*is)(const api::NodeRow& row);
};
constexpr auto kNodeSums = std::to_array<NodeSum>({
    {"", "Nodes.", [](const api::NodeRow&) { return true; }},
    {"_idle", "Nodes without a job.", [](const api::NodeRow& row) { return row.state == "IDLE"; }},
    {"_mixed", "Nodes with some CPUs held.",
     [](const api::NodeRow& row) { return row.state == "MIXED"; }},
    {"_alloc", "Nodes with all CPUs held.",
     [](const api::NodeRow& row) { return row.state == "ALLOCATED"; }},
    {"_down", "Nodes that are down.", [](const api::NodeRow& row) { return row.state == "DOWN"; }},
    {"_unknown", "Nodes that have never registered.",
     [](const api::NodeRow& row) { return row.state == "UNKNOWN"; }},
    {"_drain", "Nodes that take no new work.",
     [](const api::NodeRow& row) { return has(row, "DRAIN"); }},
    {"_draining", "Likewise, with jobs still on them.",
     [](const api::NodeRow& row) { return has(row, "DRAIN") && row.running_jobs > 0; }},
    {"_drained", "Likewise, without.",
     [](const api::NodeRow& row) { return has(row, "DRAIN") && row.running_jobs == 0; }},
    {"_completing", "Nodes with a job that is completing.",
     [](const api::NodeRow& row) { return has(row, "COMPLETING"); }},
    {"_maint", "Nodes in a reservation for maintenance.",
     [](const api::NodeRow& row) { return has(row, "MAINTENANCE"); }},
    {"_resv", "Nodes in another reservation.",
     [](const api::NodeRow& row) { return has(row, "RESERVED"); }},
    {"_planned", "Idle nodes that a job is to have next.",
     [](const api::NodeRow& row) { return has(row, "PLANNED"); }},
    {"_noresp", "Nodes that do not answer.",
     [](const api::NodeRow& row) { return has(row, "NOT_RESPONDING"); }},
});

struct GpuGauges {
    std::int64_t all = 0, held = 0;
};
GpuGauges gpus_of(const Snapshot& snapshot, NodeId id) {
    const NodeSpec& spec = snapshot.spec->node(id);
    const NodeFree& free = snapshot.node(id).free;
    const std::int64_t all = gpus_in(*snapshot.spec, spec.capacity);
    // NOLINTNEXTLINE(readability-container-size-empty): empty() is whether none is set.
    const bool known = free.cores.size() > 0;
    return {all, known ? all - gpus_in(*snapshot.spec, free.amount) : 0};
}

}  // namespace

void put_slurm_jobs(MetricPage& page, const Snapshot& snapshot) {
    JobSums sums;
    snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& read_model) {
        sums.add(*snapshot.spec, *read_model.job);
    });
    for (const Sum& one : kJobSums)
        page.one(std::string("slurm_jobs") + one.name, one.help, sums.by_name[one.name]);
}

void put_slurm_nodes(MetricPage& page, const Snapshot& snapshot) {
    const std::vector<api::NodeRow> rows = node_rows(snapshot);
    for (const NodeSum& sum : kNodeSums) {
        page.one(std::string("slurm_nodes") + sum.name, sum.help,
                 std::ranges::count_if(rows, sum.is));
    }
    const auto of_each = [&](const char* name, const char* help, auto value) {
        page.gauge(std::string("slurm_node_") + name, help);
        for (const api::NodeRow& row : rows)
            page.sample(std::int64_t{value(row)}, {{"node", row.name}});
    };
    of_each("cpus", "CPUs of the node.", [](const api::NodeRow& row) { return row.cpus; });
    of_each("cpus_effective", "Of these, those that jobs may have.",
            [](const api::NodeRow& row) { return row.cpus; });
    of_each("cpus_alloc", "Of these, those that jobs hold.",
            [](const api::NodeRow& row) { return row.allocated_cpus; });
    of_each("cpus_idle", "Of these, those that no job holds.",
            [](const api::NodeRow& row) { return row.cpus - row.allocated_cpus; });
    of_each("memory_bytes", "Memory of the node.",
            [](const api::NodeRow& row) { return row.memory; });
    of_each("memory_alloc_bytes", "Of this, what jobs hold.",
            [](const api::NodeRow& row) { return row.allocated_memory; });
    of_each("memory_free_bytes", "Of this, what no job holds.",
            [](const api::NodeRow& row) { return row.memory - row.allocated_memory; });
    const auto gpus = [&](const char* name, const char* help, std::int64_t GpuGauges::* value) {
        page.gauge(name, help);
        for (std::uint32_t i = 0; i < snapshot.spec->nodes.size(); ++i) {
            if (snapshot.spec->nodes[i].gone) continue;
            page.sample(gpus_of(snapshot, NodeId(i)).*value,
                        {{"node", snapshot.spec->nodes[i].name}});
        }
    };
    gpus("slurm_node_gpus", "GPUs of the node.", &GpuGauges::all);
    gpus("slurm_node_gpus_alloc", "Of these, those that jobs hold.", &GpuGauges::held);
}

void put_slurm_partitions(MetricPage& page, const Snapshot& snapshot) {
    const ClusterSpec& spec = *snapshot.spec;
    std::vector<JobSums> sums(spec.partitions.size());
    std::vector<std::int64_t> largest(spec.partitions.size());
    snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& read_model) {
        const Job& job = *read_model.job;
        const std::size_t at = job.partition.index();
        sums[at].add(spec, job);
        if (job.state != JobState::pending || job.hold != Hold::none) return;
        largest[at] = std::max<std::int64_t>(largest[at], job.spec.request->nodes_min);
    });
    const std::vector<api::NodeRow> rows = node_rows(snapshot);
    std::map<std::string_view, const api::NodeRow*> by_name;
    for (const api::NodeRow& row : rows) by_name[row.name] = &row;
    const auto of_each = [&](const std::string& name, const char* help, auto value) {
        page.gauge("slurm_partition_" + name, help);
        for (std::size_t i = 0; i < spec.partitions.size(); ++i) {
            if (!spec.partitions[i].gone)
                page.sample(std::int64_t{value(i)}, {{"partition", spec.partitions[i].name}});
        }
    };
    for (const Sum& one : kJobSums) {
        of_each(std::string("jobs") + one.name, one.help,
                [&](std::size_t i) { return sums[i].by_name[one.name]; });
    }
    of_each("jobs_max_job_nodes_nohold", "Nodes of the largest job that is pending and not held.",
            [&](std::size_t i) { return largest[i]; });
    for (const NodeSum& sum : kNodeSums) {
        of_each(std::string("nodes") + sum.name, sum.help, [&](std::size_t i) {
            return std::ranges::count_if(spec.partitions[i].nodes, [&](NodeId id) {
                const auto row = by_name.find(spec.node(id).name);
                return row != by_name.end() && sum.is(*row->second);
            });
        });
    }
    const auto summed = [&](std::size_t i, auto value) {
        std::int64_t sum = 0;
        for (const NodeId id : spec.partitions[i].nodes) sum += value(spec.node(id));
        return sum;
    };
    of_each("cpus", "CPUs of its nodes.", [&](std::size_t i) {
        return summed(i, [](const NodeSpec& node) { return std::int64_t{node.cpus()}; });
    });
    of_each("gpus", "GPUs of its nodes.", [&](std::size_t i) {
        return summed(i, [&](const NodeSpec& node) { return gpus_in(spec, node.capacity); });
    });
}

void put_slurm_scheduler(MetricPage& page, const api::DiagnosticsRow& row) {
    const auto mean = [](std::int64_t total, std::int64_t count) {
        return count == 0 ? 0 : total / count;
    };
    const api::CycleFigures& all = row.cycles;
    const api::CycleFigures& rounds = row.rounds;
    // Slurm's documentation says sched_, its program schedule_.
    for (const std::string prefix : {"slurm_sched_", "slurm_schedule_"}) {
        page.one(prefix + "cycle_cnt", "Cycles of the scheduler.", all.cycles);
        page.one(prefix + "cycle_last", "Microseconds of the last one.", all.last);
        page.one(prefix + "cycle_max", "Microseconds of the longest one.", all.most);
        page.one(prefix + "cycle_tot", "Microseconds of them all.", all.total);
        page.one(prefix + "queue_len", "Jobs that the last one began with.", all.last_queue);
    }
    page.one("slurm_sched_mean_cycle", "Microseconds of a cycle, on average.",
             mean(all.total, all.cycles));
    page.one("slurm_sched_mean_depth_cycle", "Looks at a job in a cycle, on average.",
             mean(all.total_depth, all.cycles));
    page.one("slurm_sched_exit_end_job_queue", "Cycles that saw all of the queue.",
             row.ended_with_queue);
    page.one("slurm_sched_exit_max_job_start", "Cycles that started as many as they may.",
             row.ended_with_most_starts);
    page.one("slurm_sched_exit_timeout", "Cycles that came to the end of their budget.",
             row.ended_out_of_budget);
    page.one("slurm_bf_cycle_cnt", "Cycles that saw to the whole plan.", rounds.cycles);
    page.one("slurm_bf_cycle_last", "Microseconds of the last one.", rounds.last);
    page.one("slurm_bf_cycle_max", "Microseconds of the longest one.", rounds.most);
    page.one("slurm_bf_cycle_tot", "Microseconds of them all.", rounds.total);
    page.one("slurm_bf_depth_mean", "Looks at a job in each, on average.",
             mean(rounds.total_depth, rounds.cycles));
    page.one("slurm_bf_queue_len", "Jobs that the last one began with.", rounds.last_queue);
    page.one("slurm_bf_queue_len_mean", "Jobs that they began with, on average.",
             mean(rounds.total_queue, rounds.cycles));
    page.one("slurm_bf_table_size", "Planned starts after the last one.", rounds.last_planned);
    page.one("slurm_backfilled_jobs", "Starts before a job that comes earlier in the order.",
             row.backfilled_since_start);
    page.one("slurm_server_thread_cnt", "Threads that answer requests.", row.server_threads);
    page.one("slurm_sdiag_jobs_submitted", "Jobs accepted since the last reset.",
             row.jobs_submitted);
    page.one("slurm_sdiag_jobs_started", "Runs started, likewise.", row.jobs_started);
    page.one("slurm_sdiag_jobs_completed", "Jobs that ran to their end, likewise.",
             row.jobs_completed);
    page.one("slurm_sdiag_jobs_canceled", "Jobs cancelled, likewise.", row.jobs_canceled);
    page.one("slurm_sdiag_jobs_failed", "Jobs that the cluster failed, likewise.", row.jobs_failed);
    page.one("slurm_sdiag_jobs_pending", "Jobs that wait.", row.jobs_pending);
    page.one("slurm_sdiag_jobs_running", "Jobs that run.", row.jobs_running);
}

}  // namespace berth
