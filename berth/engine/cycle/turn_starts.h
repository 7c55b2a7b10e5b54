// TurnStarts: starts a job on cores that other runs hold, to take turns with them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/engine/cycle/start_finder.h"
#include "berth/engine/cycle/turn_candidates.h"
#include "berth/engine/plan/trial.h"

namespace berth {

class TurnStarts {
public:
    TurnStarts(OpenCycle& cycle, StartFinder& finder)
        : cycle_(cycle), finder_(finder), candidates_(cycle) {}

    // Whether the configuration lets any job take turns with others.
    bool may_any_start() const { return cycle_.scheduling().preemption.gang; }

    // Whether a search for runs that the job may share cores with may find any.
    bool could_start(const PendingJob& pending) const;

    // Starts a job that cannot start otherwise: it stands still until its first turn. Not if a
    // planned start would be put off, because all that share the cores end later; only jobs that
    // this one preempts and comes before give way. True: it, or a task of it, has started.
    bool start(PendingJob& pending);

private:
    struct Choice {
        StartJob fact;
        std::vector<JobId> behind;  // Planned starts that may give way.
    };
    std::optional<Choice> search(const PendingJob& pending);
    std::optional<Choice> choose(const PendingJob& pending, std::vector<std::size_t>& in_vain);
    std::vector<JobId> planned_behind(const PendingJob& pending) const;
    std::vector<const Job*> group_of(const StartJob& fact) const;
    std::vector<JobId> lenders_below(const StartJob& fact,
                                     const std::vector<const Job*>& group) const;
    bool others_keep_their_starts(const PendingJob& pending, Trial& trial, const Found& found,
                                  const StartJob& fact) const;
    void give_way(std::span<const JobId> behind);

    OpenCycle& cycle_;
    StartFinder& finder_;
    TurnCandidates candidates_;
    bool limited_ = false;  // Limits bounded a search of choose(), beside what is free.
};

}  // namespace berth
