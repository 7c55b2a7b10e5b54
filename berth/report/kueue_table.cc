#include "berth/report/kueue_table.h"

#include <algorithm>

#include "berth/sim/simulation.h"

namespace berth::report {
namespace {

using std::chrono::milliseconds;

// configs/{baseline,large-scale}/generator.yaml, and the means of the project's own runs, from
// which its rangespec.yaml is made.
constexpr std::array<KueueWorkload, 2> kWorkloads = {{
    {.name = "baseline",
     .cohorts = 5,
     .queues = 6,
     .nominal = 20,
     .borrowing = 100,
     .published_makespan = 351.1,
     .classes = {{{.name = "small",
                   .jobs = 350,
                   .cpus = 1,
                   .run_time = milliseconds(200),
                   .interval = milliseconds(100),
                   .priority = 50,
                   .published_admission = 215.5},
                  {.name = "medium",
                   .jobs = 100,
                   .cpus = 5,
                   .run_time = milliseconds(500),
                   .interval = milliseconds(500),
                   .priority = 100,
                   .published_admission = 76.8},
                  {.name = "large",
                   .jobs = 50,
                   .cpus = 20,
                   .run_time = milliseconds(1000),
                   .interval = milliseconds(1200),
                   .priority = 200,
                   .published_admission = 16.5}}}},
    {.name = "large-scale",
     .cohorts = 10,
     .queues = 100,
     .nominal = 20,
     .borrowing = 100,
     .published_makespan = 1179.4,
     .classes = {{{.name = "small",
                   .jobs = 35,
                   .cpus = 1,
                   .run_time = milliseconds(150),
                   .interval = milliseconds(60),
                   .priority = 50,
                   .published_admission = 700},
                  {.name = "medium",
                   .jobs = 11,
                   .cpus = 5,
                   .run_time = milliseconds(350),
                   .interval = milliseconds(300),
                   .priority = 100,
                   .published_admission = 256},
                  {.name = "large",
                   .jobs = 4,
                   .cpus = 20,
                   .run_time = milliseconds(700),
                   .interval = milliseconds(700),
                   .priority = 200,
                   .published_admission = 105.6}}}},
}};

// Kueue does not know how long a job will run, and so nobody is told here.
constexpr Duration kLimitOfAll = std::chrono::hours(1);

std::string cohort_name(std::uint32_t cohort) { return "cohort-" + std::to_string(cohort); }
std::string queue_name(std::uint32_t cohort, std::uint32_t queue) {
    return "cq-" + std::to_string(queue) + "-" + cohort_name(cohort);
}

double in_seconds(Duration length) { return static_cast<double>(length.count()) / 1000; }

void add_cohort(const KueueWorkload& of, std::uint32_t cohort, ClusterSpec& spec) {
    const std::string name = cohort_name(cohort);
    NodeSpec node;
    node.name = node.hostname = name;
    node.sockets = 1;
    node.cores_per_socket = of.queues * of.nominal;
    node.memory = gib(1024);
    node.capacity.set_cpu(cores(node.cpus()));
    node.capacity.set_memory(node.memory);
    PartitionSpec partition;
    partition.name = name;
    partition.is_default = cohort == 0;
    partition.nodes.edit().push_back(NodeId::from_index(spec.nodes.size()));
    spec.nodes.push_back(std::move(node));
    spec.partitions.push_back(std::move(partition));
    spec.accounts.push_back({.name = name, .parent = "root"});
    for (std::uint32_t i = 0; i < of.queues; ++i) {
        const std::string queue = queue_name(cohort, i);
        spec.accounts.push_back({.name = queue, .parent = name});
        spec.associations.push_back({.account = queue, .user = queue, .is_default = true});
        spec.qos.push_back({.name = queue});
        spec.queues.push_back({.name = queue,
                               .nominal = {{"cpu", of.nominal}},
                               .borrow_max = {{"cpu", of.borrowing}}});
    }
}

}  // namespace

std::span<const KueueWorkload> kueue_workloads() { return kWorkloads; }

ClusterSpec kueue_cluster(const KueueWorkload& of) {
    ClusterSpec spec;
    spec.name = "kueue";
    spec.qos.push_back({.name = "normal"});
    for (std::uint32_t cohort = 0; cohort < of.cohorts; ++cohort) add_cohort(of, cohort, spec);
    // A lender without end: what a queue may have beyond its quota is then bounded by its borrowing
    // limit and by the CPUs of its cohort, never by quotas, and a job that lacks CPUs may preempt.
    const std::string lender = "lender";
    spec.accounts.push_back({.name = lender, .parent = "root"});
    spec.queues.push_back({.name = lender, .nominal = {{"cpu", 1'000'000'000}}});
    for (const KueueClass& one : of.classes) {
        spec.priority_classes.push_back({.name = std::string(one.name), .value = one.priority});
    }
    SchedulingSpec& scheduling = spec.scheduling;
    scheduling.enforce_limits = true;
    scheduling.plan_depth = 1;  // Without run times a plan says little.
    scheduling.kill_wait = Duration{};
    scheduling.preemption.by = PreemptBy::qos;
    scheduling.preemption.mode = PreemptMode::requeue;
    scheduling.preemption.within = true;
    scheduling.preemption.youngest_first = true;
    scheduling.preemption.reclaim = PreemptMode::requeue;
    return spec;
}

workload::Workload kueue_jobs(const KueueWorkload& of) {
    workload::Workload workload;
    for (std::uint32_t cohort = 0; cohort < of.cohorts; ++cohort) {
        for (std::uint32_t queue = 0; queue < of.queues; ++queue) {
            for (const KueueClass& one : of.classes) {
                JobRequest request;
                request.tasks_per_node = 1;
                request.cpus_per_task = one.cpus;
                request.priority_class = std::string(one.name);
                for (std::uint32_t i = 0; i < one.jobs; ++i) {
                    workload::TraceJob job;
                    job.submit = one.interval * (i + 1);
                    job.run_time = one.run_time;
                    job.name = one.name;
                    job.partition = cohort_name(cohort);
                    job.account = job.qos = queue_name(cohort, queue);
                    job.request = request;
                    workload.jobs.push_back(std::move(job));
                }
            }
        }
    }
    std::ranges::stable_sort(workload.jobs, {}, &workload::TraceJob::submit);
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) workload.jobs[i].number = i + 1;
    workload.rows = workload.jobs.size();
    return workload;
}

Duration least_makespan(const KueueWorkload& of) {
    Duration work{}, first = Duration::max(), last{};
    for (const KueueClass& one : of.classes) {
        if (one.jobs == 0) continue;
        work += one.run_time * one.jobs * one.cpus;
        first = std::min(first, one.interval);
        last = std::max(last, one.interval * one.jobs + one.run_time);
    }
    if (work == Duration{}) return {};
    return std::max(last, first + (work + Duration(of.nominal - 1)) / of.nominal);
}

Result<KueueFigures> run_kueue(const KueueWorkload& of, sim::CostMeter* cost) {
    sim::SimulationOptions options{.cluster = kueue_cluster(of)};
    options.submission.limit = sim::LimitRule::same;
    options.submission.limit_for_all = kLimitOfAll;
    options.cost = cost;
    const workload::Workload workload = kueue_jobs(of);
    const sim::SimulationResult result = sim::simulate(workload, options);
    if (!result.refusals.empty()) {
        return Error{ErrorCode::internal, "a job was refused: " + result.refusals.begin()->first};
    }
    if (result.stuck > 0 || result.hopeless) {
        return Error{ErrorCode::internal, std::to_string(result.stuck) + " jobs never ran"};
    }
    KueueFigures figures{.makespan = in_seconds(result.length), .turns = result.turns};
    for (std::size_t c = 0; c < of.classes.size(); ++c) {
        KueueFigures::OfClass& one = figures.classes[c];
        one.name = of.classes[c].name;
        Duration waited{};
        for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
            if (workload.jobs[i].name != one.name) continue;
            ++one.jobs;
            one.evictions += result.jobs[i].preemptions();
            waited += result.jobs[i].launched - workload.jobs[i].submit;
        }
        if (one.jobs > 0) one.admission = in_seconds(waited) / static_cast<double>(one.jobs);
    }
    return figures;
}

}  // namespace berth::report
