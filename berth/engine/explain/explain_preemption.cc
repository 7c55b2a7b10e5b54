#include "berth/engine/explain/explain_preemption.h"

#include <algorithm>

#include "berth/engine/derived/standing.h"
#include "berth/engine/state/job_queries.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"
#include "berth/model/preempted_by.h"

namespace berth {

std::string names_of(const ClusterState& state, const std::vector<JobId>& jobs) {
    constexpr std::size_t kNamedMax = 8;
    std::string text = jobs.size() == 1 ? "job" : "jobs";
    for (std::size_t i = 0; i < jobs.size() && i < kNamedMax; ++i) {
        text += (i == 0 ? " " : ", ") + name_of_job(state, jobs[i]);
    }
    return jobs.size() > kNamedMax ? text + " and others" : text;
}

namespace {

class PreemptionExplainer {
public:
    PreemptionExplainer(const ClusterState& state, const DerivedState& derived, const Job& job,
                        std::int64_t priority, Time now, const FitsIfLent& fits_if_lent)
        : state_(state),
          derived_(derived),
          rules_(derived.preemptions.rules),
          job_(job),
          priority_(priority),
          now_(now),
          fits_if_lent_(fits_if_lent) {}

    std::vector<Blocker> run() {
        if (const auto by = preemptor_of(job_.state_reason)) {
            add("It was preempted by " + names_of(state_, {*by}) +
                (is_checkpoint_timeout(job_.state_reason) ? ", saved no checkpoint in time," : "") +
                " and waits to run again.");
        }
        if (!rules_.enabled()) return std::move(found_);
        const std::vector<JobId> victims = state_.index().victims(job_.id);
        if (victims.empty()) {
            explain_spared();
        } else {
            explain_victims(victims);
        }
        return std::move(found_);
    }

private:
    void add(std::string text, std::optional<Time> until = std::nullopt) {
        found_.push_back({.reason = PendingReason::resources,
                          .level = "preemption",
                          .text = std::move(text),
                          .until = until});
    }

    // They are killed at the latest when the time to kill them has passed, too.
    void explain_victims(const std::vector<JobId>& victims) {
        Time end{};
        std::vector<JobId> ending, saving, moving, still;
        for (const JobId id : victims) {
            const Job& run = *state_.find_job(id);
            // One that lends may be cancelled: then it is killed where it stands.
            const bool ends = !run.lends_cores() || run.state != JobState::running;
            end = std::max(end, run.lends_cores() && run.ended_at
                                    ? *run.ended_at
                                    : run.allocation->preempted->ends_at);
            (run.must_save()     ? saving
             : ends              ? ending
             : stands_still(run) ? still
                                 : moving)
                .push_back(id);
        }
        if (!saving.empty()) {
            add("It waits for " + names_of(state_, saving) +
                    ", which it preempts, to save a checkpoint and end: at the latest",
                after(end, state_.spec().scheduling.kill_wait));
        }
        if (!ending.empty()) {
            add("It waits for " + names_of(state_, ending) +
                    ", which it preempts, to end: at the latest",
                after(end, state_.spec().scheduling.kill_wait));
        }
        if (!moving.empty()) {
            add("It waits for all nodes of " + names_of(state_, moving) +
                ", which it preempts, to say that nothing of it runs any more: then it may "
                "start on its cores.");
        }
        if (!still.empty()) {
            add("Suspended for it: " + names_of(state_, still) + ", whose cores it may start on.");
        }
    }

    // With PreemptAlways, which concerns newer runs alone.
    bool is_older(const Job& run) const {
        return rules_.preempts_newer(job_) && !rules_.never_preempts(job_) &&
               PreemptRules::submission_of(run) < PreemptRules::submission_of(job_);
    }

    // Runs below it that a rule spares, by rule.
    struct Spared {
        std::vector<JobId> off, never, not_by_it, exempt, by_priority, too_near, suspended, older,
            unproved, in_turns;
        std::optional<Time> until;  // The first of the exempt ones.
    };
    void sort_spared(const Job& run, Spared& spared) const {
        const std::int64_t standing = standing_of(state_, derived_, run, now_);
        if (!rules_.stands_above(job_, run, priority_ - standing)) {
            const bool by = rules_.spec().by == PreemptBy::priority;
            if (by && priority_ > standing) spared.too_near.push_back(run.id);
            if (by && priority_ == standing && is_older(run)) spared.older.push_back(run.id);
            return;
        }
        if (rules_.terms_of(run).mode == PreemptMode::off) return spared.off.push_back(run.id);
        if (!rules_.queues().lets_preempt(job_, run)) {
            (rules_.queues().lets_preempt(run) ? spared.not_by_it : spared.never).push_back(run.id);
            return;
        }
        if (takes_turns(state_.jobs(), state_.index(), run))
            return spared.in_turns.push_back(run.id);
        const Time free_at = rules_.exempt_until(run, rules_.terms_of(run), now_);
        if (free_at == kNever) {
            spared.by_priority.push_back(run.id);
        } else if (free_at > now_) {
            spared.exempt.push_back(run.id);
            if (!spared.until || free_at < *spared.until) spared.until = free_at;
        } else if (rules_.terms_of(run).mode == PreemptMode::suspend) {
            sort_suspendable(run, spared);
        }
    }
    static void sort_suspendable(const Job& run, Spared& spared) {
        if (run.is_configuring() || (run.is_suspended() && !run.lends_cores())) return;
        const bool unproved = run.suspension && run.suspension->unproved && !run.lends_cores();
        (unproved ? spared.unproved : spared.suspended).push_back(run.id);
    }
    void add_spared(const std::vector<JobId>& runs, const std::string& why,
                    std::optional<Time> until = {}) {
        if (!runs.empty()) add("It may not preempt " + names_of(state_, runs) + ": " + why, until);
    }
    void explain_spared() {
        Spared spared;
        for (const JobId id : state_.index().holding()) {
            const Job& run = *state_.find_job(id);
            if (run.state == JobState::running) sort_spared(run, spared);
        }
        if (!spared.suspended.empty() && !fits_if_lent_(spared.suspended)) {
            add("To preempt " + names_of(state_, spared.suspended) +
                " is not enough: what is suspended lends its cores, and keeps its memory, GPUs and "
                "licenses.");
        }
        const bool by_qos = rules_.spec().by == PreemptBy::qos;
        add_spared(spared.off, std::string("PreemptMode is OFF in ") +
                                   (by_qos ? "the QOS." : "the partition."));
        add_spared(spared.never, "allow_preemption is no in the queue.");
        add_spared(spared.not_by_it,
                   "allow_preempt_from of the queue does not name " + *job_.spec.account + ".");
        add_spared(spared.by_priority, "min_exempt_priority protects runs that started with more.");
        add_spared(spared.too_near, "its priority is not higher by min_difference, which is " +
                                        std::to_string(rules_.spec().min_difference) + ".");
        add_spared(spared.older, "of equal priority, and submitted before it.");
        add_spared(spared.unproved,
                   "suspended before, and not all nodes have proved it or answered since.");
        add_spared(spared.in_turns, "it takes turns with others on its cores.");
        explain_rest();
        add_spared(spared.exempt, "PreemptExemptTime protects the first of them", spared.until);
    }

    void explain_rest() {
        const auto& rests = state_.schedule().preemptor_rests();
        const auto known = rests.find(record_of_array(state_, job_));
        if (known == rests.end() || known->second.from > now_ || known->second.until <= now_)
            return;
        add("Runs have stood still for it in vain: it preempts none until", known->second.until);
    }

    const ClusterState& state_;
    const DerivedState& derived_;
    const PreemptRules& rules_;
    const Job& job_;
    std::int64_t priority_;
    Time now_;
    const FitsIfLent& fits_if_lent_;
    std::vector<Blocker> found_;
};

}  // namespace

std::vector<Blocker> blockers_of_preemption(const ClusterState& state, const DerivedState& derived,
                                            const Job& job, std::int64_t priority, Time now,
                                            const FitsIfLent& fits_if_lent) {
    return PreemptionExplainer(state, derived, job, priority, now, fits_if_lent).run();
}

}  // namespace berth
