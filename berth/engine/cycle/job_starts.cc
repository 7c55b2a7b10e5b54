#include "berth/engine/cycle/job_starts.h"

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/limit_times.h"

namespace berth {

PlannedReservation planned_reservation_for(const OpenCycle& cycle, const PendingJob& job,
                                           const Found& found) {
    PlannedReservation planned_reservation;
    planned_reservation.start = found.start;
    const auto length = found.start > cycle.now() ? booked_length : held_length;
    planned_reservation.end =
        after(found.start, length(cycle.scheduling(), job.shape->demand(), job.shape->length));
    if (cycle.state().quota().enforced())
        planned_reservation.limits = known_limit_use_of(cycle.state(), cycle.book().limits(), job);
    planned_reservation.rarely = PlannedReservation::Rarely{
        .licenses = found.licenses, .reservation = job.shape->demand().reservation, .lent = {}};
    NodeAmounts amounts;
    amounts.reserve(found.parts.size());
    for (const Part& part : found.parts) amounts.emplace_back(part.node, part.take.amount);
    planned_reservation.amounts = amounts;
    return planned_reservation;
}

StartJob start_of(const OpenCycle& cycle, const PendingJob& pending, const Found& found,
                  std::optional<Duration> time_limit) {
    const Job& job = *cycle.state().find_job(pending.id);
    StartJob fact{.job = job.id, .attempt = Attempt(job.attempt.value() + 1)};
    // The key of one that has moved just now is of the partition where it stood.
    fact.priority = pending.names_several() && pending.unsettled
                        ? priority_of(cycle.state(), job, cycle.derived().policy, cycle.view())
                        : pending.priority();
    fact.allocation = settle(cycle.state(), found.parts, cycle.derived().topologies);
    fact.allocation.licenses = found.licenses;
    fact.time_limit = time_limit;
    if (job.spec.array) {
        fact.array_task = first_ready_task(cycle.state(), job, cycle.now());
        BERTH_ASSERT(fact.array_task);
        const bool last = job.spec.array->tasks.size() == 1;
        fact.task_job = last ? job.id : cycle.state().next_job_id();
    }
    return fact;
}

JobId start(OpenCycle& cycle, const PendingJob& pending, const Found& found,
            std::optional<Duration> time_limit) {
    return start(cycle, pending, start_of(cycle, pending, found, time_limit));
}

JobId start(OpenCycle& cycle, const PendingJob& pending, StartJob fact) {
    if (!cycle.order().is_first(pending)) ++cycle.work().passed;
    const JobId started = fact.task_job.value_or(fact.job);
    const std::vector<NodeShare> shares = fact.allocation.shares;
    cycle.decide(std::move(fact));
    for (const NodeShare& share : shares) {  // Other jobs may now have something beside this one.
        if (share.device_share || cycle.derived().pending.any_depends_on_running()) {
            cycle.book().note_release(share.node);
        }
    }
    return started;
}

}  // namespace berth
