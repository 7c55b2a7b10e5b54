// Preemptor: ends runs so that a job ahead of them starts, and plans the job's start in the room
// that they leave.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/engine/cycle/preempt_candidates.h"
#include "berth/engine/cycle/start_finder.h"
#include "berth/engine/preempt/victim_search.h"

namespace berth {

class Preemptor {
public:
    Preemptor(OpenCycle& cycle, StartFinder& finder)
        : cycle_(cycle), finder_(finder), candidates_(cycle) {}

    // Whether the configuration lets any job preempt others.
    bool may_any_preempt() const { return cycle_.derived().preemptions.rules.enabled(); }

    // Whether a search for victims may find any.
    bool could_preempt(const PendingJob& pending);

    // Preempts for a job that cannot start now, if that lets it start sooner than it would. True:
    // for one task of an array, and there are others.
    bool preempt_for(PendingJob& pending);

private:
    Time ended_after(Duration grace) const;
    std::optional<Duration> longest_useful_grace(const PendingJob& pending) const;
    std::optional<VictimChoice> choose(const PendingJob& pending);
    std::optional<VictimChoice> choose(const PendingJob& pending, Duration grace);
    bool is_suspended_at(std::size_t place) const;
    bool others_keep_their_starts(const PendingJob& pending, Trial& trial,
                                  const VictimChoice& choice);
    bool has_licenses_now(const PendingJob& pending) const;
    void sort_planned();
    template <class GivesWay>
    void lift_planned(const PendingJob& pending, Trial& trial, GivesWay gives_way);
    struct Chosen {
        Victim victim;
        PreemptTerms terms;
    };
    void try_again_at_once(JobId preemptor);
    JobId decide_preemption(const PendingJob& pending, const std::vector<Chosen>& chosen);
    std::vector<JobId> planned_beside(JobId preemptor, const PlannedAmounts& amounts) const;
    void plan_after_preemption(PendingJob& pending, JobId preemptor, const Found& found);

    OpenCycle& cycle_;
    StartFinder& finder_;
    PreemptCandidates candidates_;
    bool limited_ = false;  // Limits bounded a search of choose(), beside what is free.
    // Jobs with a planned start, by their place in the order, and PlanBook::plan_version() then.
    // What the preemptor itself removes from the plan stays here.
    std::vector<std::pair<OrderKey, JobId>> planned_;
    std::optional<std::uint64_t> planned_at_;
};

}  // namespace berth
