// View: everything that a rule may read. Read-only, and the same for every rule; the engine
// implements it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/gpu_reading.h"
#include "berth/model/job.h"
#include "berth/policy/factor.h"
#include "berth/policy/gpu_room.h"
#include "berth/policy/tres.h"

namespace berth {

// The size of a job's request: the fewest nodes on which it can start, and its CPUs there.
struct JobSize {
    std::int64_t nodes = 1;
    std::int64_t cpus = 1;
};

// Sums that many rules divide by. Computed once per configuration.
struct ClusterTotals {
    std::int64_t nodes = 0;
    std::int64_t cpus = 0;
    Resources capacity;
    std::int64_t partition_factor_max = 0;  // Of PriorityJobFactor.
    std::int64_t qos_priority_max = 0;
    Millicpu largest_cpu;           // The maximum of any node.
    std::int64_t largest_gpus = 0;  // The maximum of any node.
    DimensionSet gpu_types = 0;     // All dimensions that are GPUs.
};
ClusterTotals totals_of(const ClusterSpec& spec);
// What the nodes of each partition have.
std::vector<TresCounts> partition_totals_of(const ClusterSpec& spec);

// The standing of a job's association among all. An unknown association is last.
struct AssociationStanding {
    Factor fair_share;
    std::int64_t priority = 0, priority_max = 0;
};

// How long a job is expected to run: the prediction, at most the time limit.
Duration expected_length(const Job& job);

// Its GPUs, or its CPUs if it has none.
std::int64_t gpus_of(const Dimensions& dimensions, const TresCounts& counts);

class View {
public:
    virtual ~View() = default;

    virtual Time now() const = 0;                  // Start of the current priority period.
    virtual Time moment() const { return now(); }  // The actual time.
    virtual const ClusterSpec& spec() const = 0;
    virtual const ClusterTotals& totals() const = 0;
    virtual const TresCounts& total(PartitionId partition) const = 0;
    virtual const Resources& free(NodeId node) const = 0;
    virtual const Job* find_job(JobId job) const = 0;
    virtual JobSize size(const Job& job) const = 0;
    // Held by the job or, if it is pending, requested.
    virtual TresCounts tres(const Job& job) const = 0;
    virtual std::vector<const Job*> running() const = 0;  // In order of their ids.
    // The total service that ended jobs attained. May be empty.
    virtual std::span<const Duration> services() const = 0;
    virtual AssociationStanding association(const Job& job) const = 0;
    // Of all usage, the decayed part of this account and all beneath it. Asked for by orders that
    // say so (OrderRule::reads_usage).
    virtual Factor account_usage(const std::string&) const { return {}; }

    // A node's GPUs one by one, as they are now, if the cluster shares GPUs; otherwise empty.
    virtual std::vector<GpuLeft> gpus(NodeId) const { return {}; }
    // The most frequent requests, if the cluster shares GPUs; otherwise empty.
    virtual std::span<const WorkShape> usual_work() const { return {}; }
    // The numbers of GPUs that running jobs on a node have: one bit for each number that occurs,
    // bit 0 for parts of a GPU.
    virtual std::uint64_t gpu_counts_on(NodeId) const { return 0; }
    // The last readings of the node's GPUs; nullptr: there never were any. May be old.
    virtual const NodeReadings* readings(NodeId) const { return nullptr; }

protected:
    View() = default;
    View(const View&) = default;
    View& operator=(const View&) = default;
};

}  // namespace berth
