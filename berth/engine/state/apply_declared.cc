// How facts change the state: reservations, and the edits of `sacctmgr` and `scontrol`.
#include <algorithm>

#include "berth/engine/state/accounting_change.h"
#include "berth/engine/state/cluster_state_change.h"

namespace berth {

void ClusterState::remember_spec() {
    if (!undo_.recording()) return;
    undo_.record(
        SpecBefore{std::make_shared<const ClusterSpec>(spec_), touches_.spec, touches_.all});
}

void ClusterState::remember_reservation(const std::string& name) {
    if (undo_.recording()) {
        const Reservation* known = find_reservation(name);
        undo_.record(ReservationBefore{
            name, known == nullptr ? nullptr : std::make_shared<const Reservation>(*known),
            touches_.reservations});
    }
    touches_.reservations = true;
}

void ClusterState::take(Time, const ReservationSet& fact) {
    BERTH_ASSERT(fact.reservation.start < fact.reservation.end);
    remember_reservation(fact.reservation.name);
    reservations_.insert_or_assign(fact.reservation.name, fact.reservation);
}

// Jobs that wait for the deleted reservation are held, as in Slurm, unless it was made with
// NO_HOLD_JOBS_AFTER. Once released they may run anywhere.
void ClusterState::take(Time, const ReservationDeleted& fact) {
    const auto at = reservations_.find(fact.name);
    if (at == reservations_.end()) return;
    const bool hold = at->second.hold_jobs_after;
    remember_reservation(fact.name);
    reservations_.erase(at);
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
    if (undo_.recording())
        undo_.record(EditsBefore{std::make_shared<const AccountingEdits>(edits_)});
    remember_spec();
    const AccountingChange change = change_of(spec_, fact.edits);
    merge(edits_, fact.edits);
    settle_usage(now);
    apply_edits(spec_, fact.edits);
    if (change.qos) usage_.set_rates(rates_from_scratch());
    if (!quota_.take_edits(spec_, fact.edits)) rebuild_quota();
    touches_.spec = true;
}

// Partitions and nodes keep their ids. Jobs on a node that leaves a partition keep running, as in
// Slurm.
void ClusterState::take(Time now, const ClusterEdited& fact) {
    if (undo_.recording()) {
        undo_.record(ClusterEditsBefore{std::make_shared<const ClusterEdits>(cluster_edits_)});
    }
    remember_spec();
    merge(cluster_edits_, fact.edits);
    settle_usage(now);
    apply_edits(spec_, cluster_edits_);
    // A partition that is made anew has no TRESBillingWeights, which no other edit changes.
    if (std::ranges::any_of(fact.edits.partitions, &PartitionEdit::is_new)) {
        usage_.set_rates(rates_from_scratch());
    }
    touches_.spec = true;
}

// All tasks of an array: they have one deadline.
void ClusterState::take(Time now, const DeadlineMissed& fact) {
    set_planned(fact.job, std::nullopt);
    change_job(fact.job, [&](Job& job) {
        BERTH_ASSERT(job.state == JobState::pending);
        job.state = JobState::deadline;
        job.ended_at = now;
        job.exit = {.code = 0, .signal = 1};  // As Slurm shows it.
        job.state_reason = slurm_name(PendingReason::deadline);
    });
}

}  // namespace berth
