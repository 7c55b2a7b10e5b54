// Kueue's published performance workloads (test/performance/scheduler of its repository), run by
// the real controller in virtual time: the makespan and the mean time to admission of each class.
//
// Kueue admits by quota alone. Here each cohort has one node, with as many CPUs as its queues have
// by right together, so that no quota is lost to fragmentation. Each ClusterQueue is an account
// with a quota, and a QOS: withinClusterQueue: LowerPriority is preemption within the QOS,
// reclaimWithinCohort: Any is reclaim.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/base/time.h"
#include "berth/model/cluster_spec.h"
#include "berth/sim/cost_meter.h"
#include "berth/workload/workload.h"

namespace berth::report {

struct KueueClass {
    std::string_view name;
    std::uint32_t jobs = 0;  // Of each queue.
    std::uint32_t cpus = 0;
    Duration run_time{};
    Duration interval{};  // Between two submissions, and before the first.
    std::int64_t priority = 0;
    double published_admission = 0;  // Mean seconds until a job is admitted.
};

struct KueueWorkload {
    std::string_view name;
    std::uint32_t cohorts = 0, queues = 0;     // Queues of each cohort.
    std::uint32_t nominal = 0, borrowing = 0;  // CPUs of a queue.
    double published_makespan = 0;             // Seconds.
    std::array<KueueClass, 3> classes;
};

// baseline and large-scale.
std::span<const KueueWorkload> kueue_workloads();

// The jobs of all queues by submission, and where they run.
workload::Workload kueue_jobs(const KueueWorkload& of);
ClusterSpec kueue_cluster(const KueueWorkload& of);

// No scheduler can be done earlier: the work of a queue on its nominal quota, from its first job
// on; or the last job of a class.
Duration least_makespan(const KueueWorkload& of);

struct KueueFigures {
    struct OfClass {
        std::string name;
        std::size_t jobs = 0;
        std::uint64_t evictions = 0;
        // Mean seconds from a job's creation to its last admission, as Kueue records it.
        double admission = 0;
    };
    double makespan = 0;  // Seconds.
    std::array<OfClass, 3> classes;
    std::uint64_t turns = 0;  // Of the controller.
};

// `cost`: what each turn costs in virtual time; may be null. An error if a job was refused or never
// ran.
Result<KueueFigures> run_kueue(const KueueWorkload& of, sim::CostMeter* cost);

}  // namespace berth::report
