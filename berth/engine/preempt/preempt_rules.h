// PreemptRules: which waiting job may preempt which run, how the run stops, and in which order runs
// are chosen: Slurm's preempt/partition_prio and preempt/qos.
//
// partition_prio: a job preempts runs of partitions with a lower PriorityTier; the run's partition
// says how. qos: a job preempts runs whose QOS its own QOS names in Preempt=; the run's QOS says
// how. By priority, which is ours: a job preempts runs whose priority is lower; with PreemptAlways
// also those of equal priority that were submitted after it, so that no two jobs may preempt each
// other. The run's partition says how. The queue of a run may forbid it, or set the grace time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/base/bitmask.h"
#include "berth/engine/preempt/queue_terms.h"
#include "berth/model/cluster_spec.h"
#include "berth/model/job.h"

namespace berth {

// How a run is preempted.
struct PreemptTerms {
    PreemptMode mode = PreemptMode::off;
    Duration grace{};                // Between the warning and the end.
    std::optional<Duration> exempt;  // It must have run for so long.
};

class PreemptRules {
public:
    void rebuild(const ClusterSpec& spec);

    bool enabled() const { return spec_.enabled(); }
    const PreemptionSpec& spec() const { return spec_; }

    bool suspends() const { return suspends_; }  // Whether any run may be suspended.

    bool never_preempts(const Job& job) const;  // Its priority class says so.
    // Whether jobs of this partition and QOS may preempt any at all.
    bool may_preempt_any(const Job& job) const;
    // Whether the job stands above the other one, which has so much less priority. It may preempt
    // the other one if that one's mode is not off, and its queue lets it, as well.
    bool stands_above(const Job& job, const Job& other, std::int64_t lead) const;
    // Whether it stands above the other one only because that one is newer.
    bool is_above_as_older(const Job& job, const Job& other, std::int64_t lead) const {
        return spec_.by == PreemptBy::priority && lead == 0 && preempts_newer(job) &&
               submission_of(job) < submission_of(other);
    }
    bool preempts_newer(const Job& job) const;  // Its policy is PreemptAlways.
    // Lower is older. The tasks of an array are as old as each other.
    using Submission = std::pair<Time, JobId>;
    static Submission submission_of(const Job& job) {
        return {job.submitted_at, job.array_job.value_or(job.id)};
    }
    bool may_preempt(const Job& job, const Job& other, std::int64_t lead) const {
        return terms_of(other).mode != PreemptMode::off && stands_above(job, other, lead) &&
               queues_.lets_preempt(job, other);
    }
    const QueueTerms& queues() const { return queues_; }
    // Whether jobs that are alike but for their accounts may preempt different runs.
    bool depend_on_account() const { return spec_.reclaims() || queues_.name_preemptors(); }
    // Whether the priorities of two jobs of this QOS decide which one preempts the other.
    bool compares_priorities(QosId qos) const {
        return spec_.by == PreemptBy::priority ||
               (spec_.by == PreemptBy::qos && within_[qos.index()]);
    }
    // A run with mode `checkpoint` that saves none, or cannot now, is requeued.
    PreemptTerms terms_of(const Job& run) const;
    // How a run stops that uses what its queue has borrowed: as its partition says or, if it says
    // nothing, as PreemptionSpec::reclaim; also where the partition has its runs suspended, since
    // these keep their quota.
    PreemptTerms terms_of_reclaimed(const Job& run) const;
    // When the run may be preempted on these terms at the earliest; kNever: its priority exempts
    // it. REQUIRES: it runs.
    Time exempt_until(const Job& run, const PreemptTerms& terms, Time now) const;

    // Lower is preempted first, as PreemptionSpec::victims says; youngest_first comes before the
    // id, and holds for all that is reclaimed. Of runs that are preempted because they are newer,
    // the newest is first.
    enum class Because : std::uint8_t { below, newer, reclaimed };
    using Turn = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    // `lost`: the work that its end would lose.
    Turn turn_of(const Job& run, std::int64_t priority, std::int64_t lost, Because because) const;

    // Higher ranks come first in the order. With preempt/qos, jobs that can preempt others do: the
    // length of the longest chain of QOS that this one preempts. Before them come jobs that use
    // what their queue has by right, not what it would borrow.
    std::int32_t rank(QosId qos, bool is_by_right) const {
        const std::int32_t of_qos = qos.index() < ranks_.size() ? ranks_[qos.index()] : 0;
        return of_qos + (is_by_right ? static_cast<std::int32_t>(ranks_.size()) + 1 : 0);
    }

private:
    PreemptTerms for_run(const Job& run, PreemptTerms terms) const;
    std::int64_t tier(const Job& job) const { return tiers_[job.partition.index()]; }
    std::int32_t find_rank(std::size_t qos, std::vector<bool>& under_way);

    PreemptionSpec spec_;
    QueueTerms queues_;
    std::vector<std::int64_t> tiers_;         // By PartitionId.
    std::int64_t lowest_tier_ = 0;            // Of the partitions whose runs may be preempted.
    std::vector<PreemptTerms> of_partition_;  // By PartitionId; of_qos_ by QosId.
    std::vector<PreemptTerms> of_qos_;
    std::vector<PreemptTerms> reclaimed_;  // By PartitionId.
    std::vector<BitSet> preempts_;         // By QosId: those that it preempts.
    std::vector<bool> within_;             // Its own jobs preempt each other.
    std::vector<std::int64_t> qos_priority_;
    std::vector<std::int32_t> ranks_;
    std::vector<std::string> never_;  // Priority classes that preempt nothing.
    bool suspends_ = false;
    std::vector<std::pair<std::string, bool>> newer_;  // Those with PreemptAlways, or without it.
};

}  // namespace berth
