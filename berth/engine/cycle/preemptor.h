// Preemptor: ends runs so that a job ahead of them starts, and plans the job's start in the room
// that they leave.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "berth/engine/cycle/start_finder.h"
#include "berth/engine/preempt/reclaim.h"
#include "berth/engine/preempt/victim_search.h"

namespace berth {

class Preemptor {
public:
    Preemptor(OpenCycle& cycle, StartFinder& finder) : cycle_(cycle), finder_(finder) {}

    // Whether a search for victims may find any.
    bool could_preempt(const PendingJob& pending);

    // Preempts for a job that cannot start now, if that lets it start sooner than it would. True:
    // for one task of an array, and there are others.
    bool preempt_for(PendingJob& pending);

private:
    bool has_hold(JobId job) const;
    // The runs that a job may preempt now and on which terms, those to be preempted first at the
    // front, and the longest grace time among them.
    struct Candidates {
        std::vector<Victim> victims;
        std::vector<PreemptTerms> terms;
        Duration grace{};
    };
    struct Candidate {
        bool reclaimed = false;   // It uses what its queue has borrowed.
        std::int64_t excess = 0;  // Then: how far over its quota the queue is.
        PreemptRules::Turn turn;
        Victim victim;
        PreemptTerms terms;
    };
    bool may_reclaim(const PendingJob& pending);
    const Reclaim& reclaim();
    std::int64_t standing_of_run(const Job& run);
    std::optional<Candidate> candidate_of(const PendingJob& pending, const Job& run,
                                          const Reclaim::Claim* claim);
    Candidates& candidates_of(const PendingJob& pending);
    Candidates find_candidates(const PendingJob& pending);
    Time ended_by(const Candidates& candidates) const;
    std::optional<VictimChoice> choose(const PendingJob& pending, const Candidates& candidates,
                                       Time at);
    bool has_licenses_now(const PendingJob& pending) const;
    void sort_planned();
    template <class GivesWay>
    void lift_planned(const PendingJob& pending, Trial& trial, GivesWay gives_way);
    JobId decide_preemption(const PendingJob& pending, const Candidates& chosen);
    void plan_after_preemption(PendingJob& pending, JobId preemptor, const Found& found);

    OpenCycle& cycle_;
    StartFinder& finder_;
    // Jobs of one partition and QOS have the same candidates, unless they are in a reservation or
    // priorities decide. Only of the last ones asked for: jobs come in order.
    std::optional<std::pair<PartitionId, QosId>> candidates_for_;
    Candidates candidates_;
    std::map<JobId, std::int64_t> standings_;  // Of runs, as far as asked for.
    std::optional<Reclaim> reclaim_;           // As of what was last decided.
    std::size_t reclaim_at_ = 0;               // The number of decisions then.
    // Jobs with a planned start, by their place in the order, and PlanBook::plan_version() then.
    // What the preemptor itself removes from the plan stays here.
    std::vector<std::pair<OrderKey, JobId>> planned_;
    std::optional<std::uint64_t> planned_at_;
};

}  // namespace berth
