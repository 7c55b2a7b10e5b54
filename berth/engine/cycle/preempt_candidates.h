// PreemptCandidates: the runs that a job may preempt, those to be preempted first at the front.
//
// First come those that stand below the job, then those that use what its queue has lent: of the
// queue that is farthest over its quota first, and only while that queue is over it. The latter are
// found one by one, as far as the search for victims asks, from one table for all jobs of the
// cycle.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "berth/engine/cycle/open_cycle.h"
#include "berth/engine/preempt/reclaim.h"
#include "berth/engine/preempt/victim_search.h"

namespace berth {

class PreemptCandidates {
public:
    explicit PreemptCandidates(OpenCycle& cycle) : cycle_(cycle) {}

    // Whether runs may be reclaimed for the job.
    bool may_reclaim(const PendingJob& pending);

    // From here on, those of this job. REQUIRES: it stays where it is until the next call.
    void list_for(const PendingJob& pending);
    // By place in the order of preference. nullptr: there are no more.
    const Victim* at(std::size_t place);
    // REQUIRES: at() has found this place.
    const PreemptTerms& terms_at(std::size_t place) const { return run_at(place).terms; }
    // The longest grace time that any of them may have, if no longer than `most`. nullopt: there is
    // none.
    std::optional<Duration> longest_grace(Duration most) const;

    // Those at these places, in order, are preempted for the job that is listed: no other job has
    // them any more. To be called before that is decided, and `note_decided` after it.
    void take(std::span<const std::size_t> places);
    void note_decided();

private:
    struct Run {
        PreemptRules::Turn turn;
        Victim victim;
        PreemptTerms terms;
        bool lends = false;  // It stands still already, and may lend more of its cores.
        // Of those below the job: what stands still loses nothing more.
        auto order() const { return std::pair(!lends, turn); }
    };
    // Runs of one queue and one reservation that hold the same kinds of what quotas name.
    struct Group {
        std::vector<Run> runs;  // In order of preference.
        std::size_t first = 0;  // Those before it have ended, or will.
        std::set<Duration> graces;
    };
    struct Listed {
        const Group* group = nullptr;
        std::int64_t excess = 0;  // How far its queue is over its quota.
        std::size_t next = 0;
    };

    bool reclaims() const;
    const Run& run_at(std::size_t place) const;
    const Job& job_of(const Run& run) const;
    std::int64_t standing_of_run(const Job& run);
    std::optional<Run> open_run(const Job& run, const PreemptTerms& terms,
                                PreemptRules::Because because);
    bool any_would_miss_deadline(const Victim& victim);
    bool may_lend(const Job& run) const;
    bool may_stop(const Job* run, PreemptMode mode) const;
    bool stands_below(const Job& run);
    void list_below();
    void build_lent();
    void list_lent();
    bool find_next_lent();
    const Reclaim& reclaim();

    OpenCycle& cycle_;
    const PendingJob* pending_ = nullptr;
    // Jobs of one partition and QOS have the same runs below them, unless they are in a
    // reservation, or priorities or accounts decide. Of the last ones listed: jobs come in order.
    std::optional<std::pair<PartitionId, QosId>> below_for_;
    std::vector<Run> below_;
    bool depends_on_length_ = false;  // Of the job: some of them have a deadline.
    std::set<Duration> graces_below_;
    std::optional<std::vector<Group>> lent_;  // Once asked for.
    std::optional<Reclaim::Claim> claim_;     // nullopt: nothing is reclaimed for the job.
    std::vector<Listed> listed_;
    std::vector<const Run*> found_;  // Of the lent ones.
    std::optional<Reclaim> left_;    // Without what was found.
    std::vector<JobId> taken_;       // By take(), until note_decided().

    std::map<JobId, std::int64_t> standings_;  // Of runs, as far as asked for.
    std::vector<JobId> ending_;                // Runs that count as ended.
    std::optional<Reclaim> reclaim_;           // As of what was last decided.
    std::size_t reclaim_at_ = 0;               // The number of decisions then.
};

}  // namespace berth
