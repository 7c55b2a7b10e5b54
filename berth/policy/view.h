// View: what a rule may look at. Read-only, and the same for every rule; the engine implements it.
#pragma once

#include <span>
#include <vector>

#include "berth/model/cluster_spec.h"
#include "berth/model/gpu_reading.h"
#include "berth/model/job.h"
#include "berth/policy/factor.h"
#include "berth/policy/gpu_room.h"
#include "berth/policy/tres.h"

namespace berth {

// How large a job is, as it asks: the fewest nodes it starts on, and its CPUs there.
struct JobSize {
    std::int64_t nodes = 1;
    std::int64_t cpus = 1;
};

// The sums that many rules divide by. Worked out once for each configuration.
struct ClusterTotals {
    std::int64_t nodes = 0;
    std::int64_t cpus = 0;
    Resources capacity;
    std::int64_t partition_factor_max = 0;  // Of PriorityJobFactor.
    std::int64_t qos_priority_max = 0;
    Millicpu largest_cpu;           // The most that one node has.
    std::int64_t largest_gpus = 0;  // Likewise.
    DimensionSet gpu_types = 0;     // All dimensions that are GPUs.
};
ClusterTotals totals_of(const ClusterSpec& spec);
std::vector<TresCounts> partition_totals_of(
    const ClusterSpec& spec);  // What the nodes of each have.

// Where a job's association stands among all. One that is not known stands last.
struct AssociationStanding {
    Factor fair_share;
    std::int64_t priority = 0, priority_max = 0;
};

// How long a job is expected to run: as was predicted, but no longer than its limit.
Duration expected_length(const Job& job);

// Its GPUs, or its CPUs if it has none.
std::int64_t gpus_of(const Dimensions& dimensions, const TresCounts& counts);

class View {
public:
    virtual ~View() = default;

    virtual Time now() const = 0;  // The begin of the period for which priorities hold.
    virtual Time moment() const { return now(); }  // The time itself.
    virtual const ClusterSpec& spec() const = 0;
    virtual const ClusterTotals& totals() const = 0;
    virtual const TresCounts& total(PartitionId partition) const = 0;
    virtual const Resources& free(NodeId node) const = 0;
    virtual const Job* find_job(JobId job) const = 0;
    virtual JobSize size(const Job& job) const = 0;
    virtual TresCounts tres(const Job& job) const = 0;    // Held, or asked for while it waits.
    virtual std::vector<const Job*> running() const = 0;  // In the order of their ids.
    // What jobs that are over had attained in all; few or none where nothing is known.
    virtual std::span<const Duration> services() const = 0;
    virtual AssociationStanding association(const Job& job) const = 0;

    // A node's GPUs one by one, as they are now, where they are given out in parts; else nothing.
    virtual std::vector<GpuLeft> gpus(NodeId) const { return {}; }
    // The requests that come most often, where GPUs are shared; else nothing.
    virtual std::span<const WorkShape> usual_work() const { return {}; }
    // How many GPUs the jobs that run on a node have each: one bit for each number that occurs,
    // bit 0 for parts of one.
    virtual std::uint64_t gpu_counts_on(NodeId) const { return 0; }
    // What its GPUs did when its agent last said; nullptr: it never did. May be old.
    virtual const NodeReadings* readings(NodeId) const { return nullptr; }

protected:
    View() = default;
    View(const View&) = default;
    View& operator=(const View&) = default;
};

}  // namespace berth
