#include "berth/engine/state/cluster_state_change.h"

#include <algorithm>

#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/lent_cores.h"

namespace berth {

void ClusterState::set_reason(JobId id, PendingReason reason, SharedText detail) {
    if (schedule_.set_reason(id, reason, std::move(detail), undo_)) touch(id);
}

void ClusterState::set_priority(JobId id, std::int64_t priority) {
    if (schedule_.set_priority(id, priority, undo_)) touch(id);
}

ClusterState::Touched ClusterState::take_touched() {
    BERTH_ASSERT(!undo_.recording());
    return touches_.take(jobs_);
}

void ClusterState::touch(JobId id) { touches_.add(id, undo_); }
void ClusterState::touch(NodeId id) { touches_.add(id, undo_); }

void ClusterState::remember_job(JobId id) {
    if (!undo_.recording()) return;
    const Job* job = find_job(id);
    undo_.record(JobBefore{id, job == nullptr ? nullptr : std::make_shared<const Job>(*job)});
}

void ClusterState::insert_job(Job job) {
    const JobId id = job.id;
    remember_job(id);
    BERTH_ASSERT(!jobs_.contains(id));
    add_to_indexes(jobs_.put(std::move(job)));
    touch(id);
}

void ClusterState::erase_job(JobId id) {
    BERTH_ASSERT(jobs_.contains(id));
    remember_job(id);
    remove_from_indexes(jobs_.at(id));
    schedule_.forget(id, undo_);
    leaves_.erase(id);
    jobs_.erase(id);
    touch(id);
}

void ClusterState::set_preemptor_hold(JobId id, std::optional<Time> until) {
    schedule_.set_preemptor_hold(id, until, undo_);
}

void ClusterState::set_preemptor_rest(JobId id, std::optional<PreemptorRest> rest) {
    schedule_.set_preemptor_rest(id, rest, undo_);
}

// Of an array the earliest hold counts: the rest begins with it, and lasts until all are over.
void ClusterState::hold_for_preemptor(JobId id, Time until, bool suspends) {
    const Job* const job = find_job(id);
    set_preemptor_hold(id, until);
    if (job == nullptr || !suspends) return;
    const JobId key = record_of_array(*this, *job);
    PreemptorRest rest{until, until + spec().scheduling.preemption.hold_timeout};
    const auto known = schedule_.preemptor_rests().find(key);
    if (known != schedule_.preemptor_rests().end() && known->second.until > until) {
        rest.from = std::min(rest.from, known->second.from);
        rest.until = std::max(rest.until, known->second.until);
    }
    set_preemptor_rest(key, rest);
}

// The job is not what it was: it may choose again. But what stood still for it has done so in vain,
// and its rest begins.
void ClusterState::drop_preemptor_hold(Time now, JobId id) {
    const auto hold = schedule_.preemptor_holds().find(id);
    if (hold == schedule_.preemptor_holds().end()) return;
    const bool in_force = now < hold->second;
    set_preemptor_hold(id, std::nullopt);
    const JobId key = record_of_array(*this, *find_job(id));
    const auto known = schedule_.preemptor_rests().find(key);
    if (known == schedule_.preemptor_rests().end() || !in_force || known->second.from <= now)
        return;
    const Time until = now + spec().scheduling.preemption.hold_timeout;
    set_preemptor_rest(key, PreemptorRest{now, std::min(known->second.until, until)});
}

void ClusterState::set_planned(JobId id, std::optional<PlannedStart> planned) {
    if (schedule_.set_planned(id, std::move(planned), undo_)) touch(id);
}

void ClusterState::set_counters(Epoch epoch, JobId next_job_id) {
    if (undo_.recording()) undo_.record(CountersBefore{epoch_, next_job_id_});
    epoch_ = epoch;
    next_job_id_ = next_job_id;
}

// Lent cores are taken already.
void ClusterState::take_share(const NodeShare& share, bool in_turns) {
    const BitSet& free = nodes_.free(share.node).cores;
    const NodeSpec& node = spec().node(share.node);
    if (index_.any_lender_on(share.node) && share.cores.size() == free.size()) {
        const BitSet held = share.cores - free;
        BERTH_ASSERT(are_lent(jobs_, index_, share.node, held, in_turns));
        nodes_.take(without_cores(share, held), node, undo_);
    } else {
        nodes_.take(share, node, undo_);
    }
    touch(share.node);
}

// Runs that hold some of these cores lend them by turns.
void ClusterState::share_by_turns(Time now, const NodeShare& share) {
    for (const JobId id : index_.on_node(share.node)) {
        const Job& run = jobs_.at(id);
        const BitSet& held = share_on(run, share.node)->cores;
        const bool meets = held.size() == share.cores.size() && held.intersects(share.cores);
        if (!meets || run.lends_cores()) continue;
        change_job(id, [&](Job& record) {
            record.allocation->preempted = PreemptedRun{.by = JobId(0),
                                                        .mode = PreemptMode::suspend,
                                                        .at = now,
                                                        .ends_at = now,
                                                        .turns = true};
        });
    }
}

// Those that have nobody left above them have their cores to themselves.
void ClusterState::end_turns_on(NodeId node) {
    if (!index_.any_lender_on(node)) return;
    for (const JobId id : index_.on_node(node)) {
        const Job& run = jobs_.at(id);
        if (!run.lends_by_turns() || has_borrowers(jobs_, index_, run)) continue;
        change_job(id, [](Job& record) { record.allocation->preempted.reset(); });
    }
}

// Cores that others hold as well stay taken. REQUIRES: the indexes do not have the job.
void ClusterState::give_back_share(const Job& job, const NodeShare& share) {
    const NodeSpec& node = spec().node(share.node);
    if (job.lends_cores() || index_.any_lender_on(share.node)) {
        const BitSet kept = shared_cores(jobs_, index_, job, share, Sharers::all);
        nodes_.give_back(without_cores(share, kept), node, undo_);
    } else {
        nodes_.give_back(share, node, undo_);
    }
    touch(share.node);
}

// Ids wrap around at max_job_id and skip those still in use.
JobId ClusterState::id_after(JobId id) const {
    const SchedulingSpec& scheduling = spec().scheduling;
    BERTH_ASSERT(scheduling.max_job_id >= scheduling.first_job_id);
    BERTH_ASSERT(jobs_.size() < scheduling.max_job_id - scheduling.first_job_id);
    std::uint32_t next = id.value();
    do {
        ++next;
        if (next > scheduling.max_job_id) next = scheduling.first_job_id;
    } while (jobs_.contains(JobId(next)));
    return JobId(next);
}

}  // namespace berth
