// How facts change the state: reservations, and the edits of `sacctmgr` and `scontrol`.
#include "berth/engine/state/accounting_change.h"
#include "berth/engine/state/cluster_state_change.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/other_tiers.h"
#include "berth/model/job_phase.h"
#include "berth/model/partition_cpus.h"

namespace berth {

void ClusterState::take(Time, const ReservationSet& fact) {
    reservations_.put(fact.reservation, undo_);
    touches_.add_reservations(undo_);
}

// Jobs that wait for the deleted reservation are held, as in Slurm, unless it was made with
// NO_HOLD_JOBS_AFTER. Once released they may run anywhere.
void ClusterState::take(Time, const ReservationDeleted& fact) {
    const Reservation* const known = reservations_.find(fact.name);
    if (known == nullptr) return;
    const bool hold = known->hold_jobs_after;
    reservations_.erase(fact.name, undo_);
    touches_.add_reservations(undo_);
    for (const JobId id : JobSet(index_.pending())) {
        if (jobs_.at(id).spec.request->reservation != fact.name) continue;
        set_planned(id, std::nullopt);
        change_job(id, [&](Job& job) {
            job.spec.request.edit().reservation.clear();
            if (!hold) return;
            job.hold = Hold::admin;
            job.state_reason = slurm_name(PendingReason::reservation_deleted);
        });
    }
}

void ClusterState::take(Time now, const AccountingEdited& fact) {
    const AccountingChange change = change_of(spec(), fact.edits);
    remember_configuration();
    settle_usage(now);
    configuration_.edit(fact.edits);
    if (change.qos) usage_.set_rates(rates_from_scratch());
    if (!quota_.take_edits(spec(), fact.edits)) rebuild_quota();
    touches_.add_spec(undo_);
}

namespace {

// Whether each partition has the QOS that the tree knows it to have.
bool has_qos_of(const QuotaTree& quota, const ClusterSpec& spec) {
    if (!quota.enforced()) return true;
    for (std::size_t p = 0; p < spec.partitions.size(); ++p) {
        const PartitionSpec& one = spec.partitions[p];
        const bool has_qos = !one.qos.empty() && !one.gone;
        const std::optional<QosId> now = has_qos ? spec.find_qos(one.qos) : std::nullopt;
        if (quota.partition_qos(PartitionId::from_index(p)) != now) return false;
    }
    return true;
}

}  // namespace

// Partitions and nodes keep their ids. Jobs on a node that leaves a partition keep running, as in
// Slurm.
void ClusterState::take(Time now, const ClusterEdited& fact) {
    remember_configuration();
    settle_usage(now);
    const PartitionTiers tiers = tiers_of(spec());
    const PartitionCpuLimits limits = partition_cpu_limits(spec());
    configuration_.edit(fact.edits);
    if (partition_cpu_limits(spec()) != limits) {
        nodes_.follow_spec(node_sources(), undo_);
        touches_.add_all(undo_);
    }
    for (const JobId id : jobs_in_other_order(*this, tiers)) set_planned(id, std::nullopt);
    const bool other_flavors =
        quota_.enforced() && quota_.queues().flavors() != FlavorNodes(spec());
    if (other_flavors || !has_qos_of(quota_, spec())) rebuild_quota();
    // A partition that is made anew has no TRESBillingWeights, which no other edit changes.
    if (std::ranges::any_of(fact.edits.partitions, &PartitionEdit::is_new)) {
        usage_.set_rates(rates_from_scratch());
    }
    touches_.add_spec(undo_);
}

// All tasks of an array: they have one deadline.
void ClusterState::take(Time now, const DeadlineMissed& fact) {
    set_planned(fact.job, std::nullopt);
    change_job(fact.job, [&](Job& job) {
        BERTH_ASSERT(job.state == JobState::pending);
        job.state = JobState::deadline;
        job.ended_at = now;
        job.exit = {.code = 0, .signal = 1};  // As Slurm shows it.
        const std::optional<Time> end = wait_end(job);
        job.state_reason = end && *end <= now ? waited_too_long_text(*job.spec.request->max_wait)
                                              : std::string(slurm_name(PendingReason::deadline));
    });
}

}  // namespace berth
