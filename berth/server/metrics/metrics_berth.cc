// Berth's own metrics, and the training platforms' that are read off a snapshot of the cluster:
// queues, what they hold, what they wait for, and how fair that is.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "berth/server/metrics/metrics.h"
#include "berth/server/views/names.h"
#include "berth/server/views/queue_rows.h"
#include "berth/server/views/share_rows.h"

namespace berth {
namespace {

constexpr std::array<const char*, 3> kResources{"cpu", "memory", "gpu"};
using Amounts = std::array<std::int64_t, kResources.size()>;

// CPUs, bytes and GPUs.
Amounts amounts_of(const ClusterSpec& spec, const Resources& amount) {
    return {amount.cpu().count() / 1000, amount.memory().count(), gpus_in(spec, amount)};
}

void add(Amounts& to, const Amounts& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

double ratio(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

struct Queue {
    Amounts held{};
    std::int64_t pending = 0, waiting = 0;  // The latter: records, not tasks.
    Duration waited{}, longest{};
};

// One look at every job.
struct Jobs {
    std::map<std::string_view, Queue> queues;
    std::map<std::pair<std::string_view, QosId>, std::int64_t> pending;
    std::map<std::pair<std::string_view, PendingReason>, std::int64_t> reasons;
    std::map<std::pair<std::string_view, JobState>, std::int64_t> states;

    void add_job(const ClusterSpec& spec, const SnapshotJob& read_model, Time now) {
        const Job& job = *read_model.job;
        const std::string_view name = queue_of(spec, job);
        const std::int64_t tasks = job.state == JobState::pending && job.spec.array
                                       ? static_cast<std::int64_t>(job.spec.array->tasks.size())
                                       : 1;
        states[{name, job.state}] += tasks;
        Queue& queue = queues[name];
        if (job.allocation) add(queue.held, amounts_of(spec, *job.allocated));
        if (job.state != JobState::pending) return;
        pending[{name, job.qos}] += tasks;
        reasons[{name, read_model.reason}] += tasks;
        queue.pending += tasks;
        if (!job.eligible_at) return;  // It waits for something else than room.
        const Duration waited = std::max(now - *job.eligible_at, Duration{});
        ++queue.waiting;
        queue.waited += waited;
        queue.longest = std::max(queue.longest, waited);
    }
};

void put_queues(MetricPage& page, const Snapshot& snapshot, const Jobs& jobs) {
    const ClusterSpec& spec = *snapshot.spec;
    page.gauge("training_job_queue_length",
               "Jobs that wait, each task of an array as one; "
               "priority is that of their QOS.");
    for (const auto& [key, count] : jobs.pending) {
        const auto& [queue, qos] = key;
        const std::int64_t priority =
            qos.index() < spec.qos.size() ? spec.qos[qos.index()].priority : 0;
        page.sample(count, {{"queue", std::string(queue)}, {"priority", std::to_string(priority)}});
    }
    page.gauge("berth_jobs", "Jobs that the controller knows, by their state.");
    for (const auto& [key, count] : jobs.states) {
        page.sample(count, {{"queue", std::string(key.first)},
                            {"state", std::string(slurm_name(key.second))}});
    }
    page.gauge("berth_pending_jobs", "Jobs that wait, by what for.");
    for (const auto& [key, count] : jobs.reasons) {
        page.sample(count, {{"queue", std::string(key.first)},
                            {"reason", std::string(slurm_name(key.second))}});
    }
    const auto of_waiting = [&](const char* name, const char* help, auto seconds) {
        page.gauge(name, help);
        for (const auto& [queue, one] : jobs.queues) {
            if (one.waiting > 0) page.sample(seconds(one), {{"queue", std::string(queue)}});
        }
    };
    of_waiting("berth_pending_wait_mean_seconds", "Of those that could start, were there room.",
               [](const Queue& one) { return ratio(one.waited.count(), one.waiting * 1000); });
    of_waiting("berth_pending_wait_max_seconds", "Likewise, of the one that has waited longest.",
               [](const Queue& one) { return ratio(one.longest.count(), 1000); });
}

std::string_view state_of(const SnapshotNode& node) {
    const NodeCondition& condition = node.condition;
    if (condition.down || !condition.registered || !condition.responding) return "down";
    if (condition.drained) return "drain";
    return node.free.jobs > 0 ? "busy" : "idle";
}

void put_resources(MetricPage& page, const Snapshot& snapshot, const Jobs& jobs) {
    const ClusterSpec& spec = *snapshot.spec;
    Amounts all{};
    std::map<std::string_view, std::int64_t> states{
        {"down", 0}, {"drain", 0}, {"busy", 0}, {"idle", 0}};
    for (std::uint32_t i = 0; i < spec.nodes.size(); ++i) {
        if (spec.nodes[i].gone) continue;
        add(all, amounts_of(spec, spec.nodes[i].capacity));
        ++states[state_of(snapshot.node(NodeId(i)))];
    }
    page.gauge("training_cluster_resource_utilization",
               "What a queue's jobs hold, of all that the cluster has.");
    for (const auto& [queue, one] : jobs.queues) {
        for (std::size_t i = 0; i < kResources.size(); ++i) {
            if (all[i] == 0) continue;
            page.sample(ratio(one.held[i], all[i]),
                        {{"resource_type", kResources[i]}, {"queue", std::string(queue)}});
        }
    }
    Amounts held{};
    for (const auto& [queue, one] : jobs.queues) add(held, one.held);
    const auto amounts = [&](const char* name, const char* help, const Amounts& of) {
        page.gauge(name, help);
        for (std::size_t i = 0; i < kResources.size(); ++i)
            page.sample(of[i], {{"resource_type", kResources[i]}});
    };
    amounts("berth_resources", "CPUs, bytes of memory and GPUs of the cluster.", all);
    amounts("berth_resources_allocated", "Of these, what jobs hold.", held);
    page.gauge("berth_nodes", "Nodes by what they are good for.");
    for (const auto& [state, count] : states) page.sample(count, {{"state", std::string(state)}});
}

// Jain's: 1 where all have used in proportion to their shares, 1/n where one has used it all.
double jain_index(const std::vector<double>& parts) {
    double sum = 0, squares = 0;
    for (const double part : parts) {
        sum += part;
        squares += part * part;
    }
    return squares == 0 ? 1 : sum * sum / (static_cast<double>(parts.size()) * squares);
}

void put_fairness(MetricPage& page, const Snapshot& snapshot, Time now) {
    constexpr double kBillion = 1e9;
    std::vector<api::ShareRow> accounts = share_rows(snapshot, now);
    std::erase_if(accounts, [](const api::ShareRow& row) {
        return !row.user.empty() || row.parent.empty() || row.norm_shares == 0;
    });
    const auto of_each = [&](const char* name, const char* help, auto value) {
        page.gauge(name, help);
        for (const api::ShareRow& row : accounts) page.sample(value(row), {{"queue", row.account}});
    };
    const auto share = [](const api::ShareRow& row) {
        return static_cast<double>(row.norm_shares) / kBillion;
    };
    const auto usage = [](const api::ShareRow& row) {
        return static_cast<double>(row.effective_usage) / kBillion;
    };
    of_each("training_queue_fairshare_deviation",
            "The part of all usage that is the queue's, less its share of it: above 0, it has had "
            "more than its share.",
            [&](const api::ShareRow& row) { return usage(row) - share(row); });
    of_each("berth_queue_share_ratio", "What a queue should have, of all.", share);
    of_each("berth_queue_usage_ratio", "What it has had, of all, old usage counting less.", usage);
    std::vector<double> parts;
    parts.reserve(accounts.size());
    for (const api::ShareRow& row : accounts) parts.push_back(usage(row) / share(row));
    page.gauge("berth_fairness_jain_index",
               "Of the queues' usage by their shares: 1 is fair, 1 by their number is not.");
    page.sample(jain_index(parts));
}

// Quotas by queue and TRES; memory in bytes.
void put_quotas(MetricPage& page, const Snapshot& snapshot) {
    if (snapshot.spec->queues.empty()) return;
    const std::vector<api::QueueRow> queues = queue_rows(snapshot);
    const auto of_each = [&](const char* name, const char* help, auto value) {
        page.gauge(name, help);
        for (const api::QueueRow& queue : queues) {
            for (const api::QueueTresRow& row : queue.tres) {
                const std::optional<std::int64_t> count = value(row);
                if (!count) continue;
                const std::int64_t unit =
                    kind_of_tres(row.tres) == TresKind::mem ? std::int64_t{1} << 20 : 1;
                page.sample(*count * unit, {{"queue", queue.name}, {"tres", row.tres}});
            }
        }
    };
    using Row = api::QueueTresRow;
    of_each("berth_queue_nominal", "What a queue may use by right.",
            [](const Row& row) { return row.nominal; });
    of_each("berth_queue_limit", "The most that a queue may use.",
            [](const Row& row) { return row.limit; });
    of_each("berth_queue_used", "What the jobs of a queue and of those beneath it hold.",
            [](const Row& row) { return std::optional(row.used); });
    of_each("berth_queue_borrowed", "Of it, what is beyond its nominal quota.",
            [](const Row& row) { return std::optional(row.borrowed); });
    of_each("berth_queue_lent", "What others use of a queue's nominal quota.",
            [](const Row& row) { return std::optional(row.lent); });
}

}  // namespace

std::int64_t gpus_in(const ClusterSpec& spec, const Resources& amount) {
    std::int64_t gpus = 0;
    for (std::uint32_t i = kMemoryDimension.value() + 1; i < spec.dimensions.size(); ++i) {
        if (spec.dimensions.at(DimensionId(i)).name == "gpu") gpus += amount[DimensionId(i)];
    }
    return gpus;
}

void put_berth_metrics(MetricPage& page, const Snapshot& snapshot, Time now) {
    Jobs jobs;
    snapshot.jobs.for_each([&](std::uint32_t, const SnapshotJob& read_model) {
        jobs.add_job(*snapshot.spec, read_model, now);
    });
    put_queues(page, snapshot, jobs);
    put_resources(page, snapshot, jobs);
    put_fairness(page, snapshot, now);
    put_quotas(page, snapshot);
}

}  // namespace berth
