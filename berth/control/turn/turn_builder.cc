#include "berth/control/turn/turn_builder.h"

#include "berth/engine/state/job_queries.h"

namespace berth {

void TurnBuilder::end_components(const Fact& fact) {
    JobId id{0};
    std::uint32_t by_uid = 0;
    std::vector<std::string> refused_by;
    if (const auto* end = std::get_if<EndJob>(&fact)) {
        id = end->job;
        by_uid = end->by_uid;
        refused_by = end->refused_by;
    } else if (const auto* ended = std::get_if<AttemptEnded>(&fact)) {
        id = ended->job;
    } else {
        return;
    }
    const Job* const job = state().find_job(id);
    if (job == nullptr || !job->het || job->state == JobState::running) return;
    EndJob same{.outcome = job->state == JobState::completing ? job->outcome : job->state};
    same.hold = job->hold;
    same.reason = job->state_reason;
    same.by_uid = by_uid;
    same.refused_by = std::move(refused_by);
    if (same.outcome != JobState::pending) same.exit = job->exit;
    const HetComponent het = *job->het;
    // If the script, which the first component has, is only now known to have ended in time, no
    // component timed out.
    const bool in_time = std::holds_alternative<AttemptEnded>(fact) && het.offset == 0 &&
                         is_final(same.outcome) && !was_ended_by_limit(*job);
    const auto must_end = [&](const Job& other) {
        return other.state == JobState::running || (in_time && was_ended_by_limit(other));
    };
    for (std::uint32_t i = 0; i < het.size; ++i) {
        const Job* const other = state().find_job(het.id(i));
        if (i == het.offset || other == nullptr || !must_end(*other)) continue;
        same.job = other->id;
        record(same);
    }
}

}  // namespace berth
