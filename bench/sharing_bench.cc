// What preemption and reclaim cost: CPU time from the moment at which jobs of a higher tier, or of
// a queue that has lent all it has, are submitted until every victim and every hold is decided, on
// a full cluster.
//
// 500 nodes with 4 000 running and 4 000 waiting one-GPU jobs is KAI's published case of a reclaim;
// 2 000 nodes with gangs of 16 GPUs is as large as Kueue's case of preemption with topology.
#include <cstdio>
#include <ctime>

#include "berth/engine/cycle/engine.h"
#include "berth/testing/builders.h"

namespace berth::bench {
namespace {

constexpr std::uint32_t kBudget = 1'000'000;

double cpu_ms() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct SharingCase {
    const char* name;
    std::uint32_t nodes;
    std::int64_t running_gpus;  // Of each job that runs.
    std::uint32_t preemptors, gang_nodes;
    std::int64_t gpus;         // Of each preemptor, on each node.
    std::uint32_t queues = 0;  // Half of which borrow all that the others have; 0: by tier.
};

std::string queue_of(const SharingCase& one, bool borrows, std::uint32_t job) {
    return (borrows ? "b" : "o") + std::to_string(job % (one.queues / 2));
}

ClusterSpec cluster_of_queues(const SharingCase& one) {
    ClusterSpec spec = testing::make_cluster(one.nodes, {.gpus = 8});
    spec.scheduling.enforce_limits = true;
    spec.scheduling.preemption.reclaim = PreemptMode::requeue;
    for (std::uint32_t i = 0; i < one.queues; ++i) {
        const std::string name = queue_of(one, i % 2 == 0, i / 2);
        spec.accounts.push_back({.name = name, .parent = "root"});
        spec.queues.push_back(
            {.name = name, .nominal = {{"gres/gpu", one.nodes * 8 / one.queues}}});
    }
    return spec;
}

ClusterSpec cluster_of(const SharingCase& one) {
    if (one.queues > 0) return cluster_of_queues(one);
    ClusterSpec spec = testing::make_cluster(one.nodes, {.gpus = 8});
    spec.scheduling.preemption = {.by = PreemptBy::partition, .mode = PreemptMode::requeue};
    PartitionSpec high = spec.partitions.front();
    high.name = "high";
    high.is_default = false;
    high.priority_tier = 10;
    high.preempt_mode = PreemptMode::off;
    spec.partitions.push_back(high);
    return spec;
}

// Cycles until nothing is left to decide. Returns how many runs were preempted.
std::size_t decide(Engine& engine, Time now) {
    std::size_t preempted = 0;
    for (bool complete = false; !complete;) {
        const Cycle cycle = engine.cycle(now, kBudget);
        for (const Fact& fact : cycle.decisions) {
            if (const auto* const one = std::get_if<JobsPreempted>(&fact))
                preempted += one->victims.size();
        }
        complete = cycle.complete;
    }
    return preempted;
}

void run(const SharingCase& one) {
    Engine engine = testing::make_engine(cluster_of(one));
    const auto running = static_cast<std::uint32_t>(one.nodes * 8 / one.running_gpus);
    constexpr Duration kLong = std::chrono::hours(10);
    for (std::uint32_t i = 0; i < running; ++i) {
        JobSpec spec = testing::make_job({.gpus = one.running_gpus, .limit = kLong});
        if (one.queues > 0) spec.account = queue_of(one, true, i);
        testing::submit(engine, Time{}, spec);
    }
    decide(engine, Time{});
    const Time now(std::chrono::hours(1));
    for (std::uint32_t i = 0; i < one.preemptors; ++i) {
        JobSpec spec =
            testing::make_job({.nodes = one.gang_nodes, .gpus = one.gpus, .limit = kLong});
        if (one.queues > 0) {
            spec.account = queue_of(one, false, i);
        } else {
            spec.partition = "high";
        }
        testing::submit(engine, now, spec);
    }
    const double begin = cpu_ms();
    const std::size_t preempted = decide(engine, now);
    std::printf("%-12s %6u %8u %11u %10zu %12.1f\n", one.name, one.nodes, running, one.preemptors,
                preempted, cpu_ms() - begin);
}

}  // namespace
}  // namespace berth::bench

int main() {
    std::printf("%-12s %6s %8s %11s %10s %12s\n", "case", "nodes", "running", "preemptors",
                "preempted", "CPU, ms");
    using berth::bench::SharingCase;
    for (const SharingCase& one : {
             SharingCase{"singles", 125, 1, 1'000, 1, 1},
             SharingCase{"singles", 250, 1, 2'000, 1, 1},
             SharingCase{"singles", 500, 1, 4'000, 1, 1},
             SharingCase{"gangs", 2'000, 2, 44, 2, 8},
             SharingCase{"one gang", 2'000, 2, 1, 88, 8},
             SharingCase{"reclaim", 125, 1, 1'000, 1, 1, 2},
             SharingCase{"reclaim", 250, 1, 2'000, 1, 1, 2},
             SharingCase{"reclaim", 500, 1, 4'000, 1, 1, 2},
             SharingCase{"reclaim, 100", 500, 1, 4'000, 1, 1, 100},
             SharingCase{"its gangs", 2'000, 2, 44, 2, 8, 2},
         }) {
        berth::bench::run(one);
    }
    return 0;
}
