#include "berth/engine/cycle/preempt_candidates.h"

#include <algorithm>
#include <ranges>
#include <tuple>

#include "berth/engine/cycle/blocking_reasons.h"
#include "berth/engine/cycle/job_terms.h"
#include "berth/engine/cycle/preempted_runs.h"
#include "berth/engine/derived/standing.h"
#include "berth/engine/plan/lending.h"
#include "berth/engine/state/lent_cores.h"
#include "berth/engine/state/turns.h"

namespace berth {
namespace {

// Whether all nodes of the run can tell that it has ended.
bool can_prove_its_end(const ClusterState& state, const Job& run) {
    return std::ranges::all_of(run.allocation->shares, [&](const NodeShare& share) {
        const NodeCondition& condition = state.nodes().condition(share.node);
        return condition.registered && condition.responding;
    });
}

bool is_running(const Job* job) {
    return job != nullptr && job->state == JobState::running && !job->allocation->preempted;
}

// Whether it runs, or stands still for another and may lend more.
bool is_running_or_lends(const Job& run) {
    return is_running(&run) || (run.state == JobState::running && stands_still(run));
}

bool has_later_components(const Job& run) { return run.het && run.het->offset > 0; }

}  // namespace

// ---- Quotas as they will be.

bool PreemptCandidates::reclaims() const {
    return cycle_.derived().preemptions.rules.spec().reclaims();
}

bool PreemptCandidates::may_reclaim(const PendingJob& pending) {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending.id);
    Kind& kind = *pending.shape->kind;
    if (!reclaims() || rules.never_preempts(job)) return false;
    if (quota_standing_of(cycle_.state(), job, kind) != QuotaStanding::by_right) return false;
    return reclaim().is_by_right(reclaim().claim_of(job, kind.demand, *kind.asked));
}

// With the jobs that have preempted and not started yet.
const Reclaim& PreemptCandidates::reclaim() {
    if (reclaim_ && reclaim_at_ == cycle_.decided()) return *reclaim_;
    const ClusterState& state = cycle_.state();
    if (!reclaim_) ending_ = ending_runs(state);
    reclaim_.emplace(state);
    reclaim_at_ = cycle_.decided();
    for (const JobId id : ending_) {
        const Job* const run = state.find_job(id);
        if (run != nullptr && run->allocation) reclaim_->take(*run);
    }
    for (const auto& [id, until] : state.schedule().preemptor_holds()) {
        const PendingJob* const other = cycle_.derived().pending.find(id);
        if (other == nullptr || !has_hold(cycle_, id)) continue;
        Kind& kind = *other->shape->kind;
        const Job& job = *state.find_job(id);
        const LimitRequest& asked = limit_request_of(state, job, kind);
        reclaim_->expect(reclaim_->claim_of(job, kind.demand, asked));
    }
    return *reclaim_;
}

// ---- Runs.

const PreemptCandidates::Run& PreemptCandidates::run_at(std::size_t place) const {
    return place < below_.size() ? below_[place] : *found_[place - below_.size()];
}

const Job& PreemptCandidates::job_of(const Run& run) const {
    return *cycle_.state().find_job(run.victim.front());
}

std::int64_t PreemptCandidates::standing_of_run(const Job& run) {
    const auto [at, is_new] = standings_.try_emplace(run.id);
    if (is_new) {
        at->second = standing_of(cycle_.state(), cycle_.derived(), run, cycle_.now());
    }
    return at->second;
}

// Not while a job waits for it that has not started yet: until then its cores are that job's. What
// `scontrol suspend` has stopped goes on when an operator says so. What waits for its prolog has
// not begun: no node could prove anything of it. Nor may be asked again what has not answered.
bool PreemptCandidates::may_lend(const Job& run) const {
    if (run.is_suspended() && !run.lends_cores()) return false;
    if (run.is_configuring()) return false;
    if (!run.lends_cores()) return !run.suspension || !run.suspension->unproved;
    const Job* const by = cycle_.state().find_job(run.allocation->preempted->by);
    const bool comes = by != nullptr && by->state == JobState::pending && has_hold(cycle_, by->id);
    return !comes && stands_still(run);
}

bool PreemptCandidates::may_stop(const Job* run, PreemptMode mode) const {
    if (run == nullptr || run->state != JobState::running) return false;
    return mode == PreemptMode::suspend ? (is_running(run) || run->lends_cores()) && may_lend(*run)
                                        : is_running(run);
}

// If it stood still for the listed job, for all of that one's time.
bool PreemptCandidates::any_would_miss_deadline(const Victim& victim) {
    const Time back = given_back_by(
        cycle_.scheduling(),
        held_length(cycle_.scheduling(), pending_->shape->demand(), pending_->shape->length),
        cycle_.now());
    return std::ranges::any_of(victim, [&](JobId id) {
        const Job& run = *cycle_.state().find_job(id);
        if (run.spec.deadline) depends_on_length_ = true;
        return would_miss_deadline(run, back, cycle_.now());
    });
}

// nullopt: nobody may preempt it now.
std::optional<PreemptCandidates::Run> PreemptCandidates::open_run(const Job& run,
                                                                  const PreemptTerms& terms,
                                                                  PreemptRules::Because because) {
    Preemptions& preemptions = cycle_.derived().preemptions;
    const ClusterState& state = cycle_.state();
    if (terms.mode == PreemptMode::off) return std::nullopt;
    // While it shares cores, others have them when it has ended or stands still.
    if (takes_turns(state.jobs(), state.index(), run)) return std::nullopt;
    Run open{.turn = {}, .victim = {}, .terms = terms};
    for (std::uint32_t i = 0; i < (run.het ? run.het->size : 1); ++i)
        open.victim.push_back(run.het ? run.het->id(i) : run.id);
    const bool all_end = std::ranges::all_of(open.victim, [&](JobId one) {
        const Job* const part = state.find_job(one);
        return may_stop(part, terms.mode) && can_prove_its_end(state, *part);
    });
    if (!all_end) return std::nullopt;
    open.lends = run.lends_cores();
    if (terms.mode == PreemptMode::suspend && any_would_miss_deadline(open.victim))
        return std::nullopt;
    Time until = preemptions.rules.exempt_until(run, terms, cycle_.now());
    // Of two runs that share cores, the later one has borrowed them.
    if (terms.mode == PreemptMode::suspend && *run.started_at >= cycle_.now())
        until = std::max(until, after(*run.started_at, Duration(1)));
    if (until > cycle_.now()) {
        preemptions.note_exempt(until);
        return std::nullopt;
    }
    std::int64_t lost = 0;
    for (const JobId part : open.victim)
        lost += lost_work(state.spec(), *state.find_job(part), cycle_.now());
    open.turn = preemptions.rules.turn_of(run, standing_of_run(run), lost, because);
    return open;
}

// ---- Those below the job.

bool PreemptCandidates::stands_below(const Job& run) {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending_->id);
    return rules.may_preempt_any(job) &&
           rules.may_preempt(job, run, pending_->priority() - standing_of_run(run));
}

void PreemptCandidates::list_below() {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const ClusterState& state = cycle_.state();
    const Job& job = *state.find_job(pending_->id);
    const std::pair key(job.partition, job.qos);
    if (below_for_ == key) {  // Some may have been reclaimed since, or share their cores.
        if (lent_ || rules.spec().gang) {
            std::erase_if(below_,
                          [&](const Run& run) { return !run.lends && !is_running(&job_of(run)); });
        }
        return;
    }
    const bool is_shared = job.spec.request->reservation.empty() &&
                           !rules.queues().name_preemptors() && !rules.compares_priorities(job.qos);
    below_.clear();
    graces_below_.clear();
    below_for_.reset();
    depends_on_length_ = false;
    if (!rules.may_preempt_any(job)) {
        if (is_shared) below_for_ = key;
        return;
    }
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        if (!is_running_or_lends(run) || has_later_components(run) || !stands_below(run)) continue;
        if (run.spec.request->reservation != job.spec.request->reservation) continue;
        const std::int64_t lead = pending_->priority() - standing_of_run(run);
        auto open =
            open_run(run, rules.terms_of(run),
                     rules.is_above_as_older(job, run, lead) ? PreemptRules::Because::newer
                                                             : PreemptRules::Because::below);
        if (!open) continue;
        graces_below_.insert(open->terms.grace);
        below_.push_back(*std::move(open));
    }
    std::ranges::sort(below_, {}, [](const Run& run) { return run.order(); });
    if (is_shared && !depends_on_length_) below_for_ = key;
}

// ---- Those that use what is lent.

void PreemptCandidates::build_lent() {
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const ClusterState& state = cycle_.state();
    const std::size_t tres = state.quota().queues().tres().size();
    using Key = std::tuple<QueueQuotas::Index, std::string, std::vector<bool>>;
    std::map<Key, Group> groups;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        if (!is_running(&run) || has_later_components(run)) continue;
        auto open = open_run(run, rules.terms_of_reclaimed(run), PreemptRules::Because::reclaimed);
        if (!open) continue;
        std::vector<bool> held(tres);
        for (std::size_t i = 0; i < tres; ++i) held[i] = state.quota().used_by(run, i) != 0;
        const auto leaf = static_cast<QuotaTree::Index>(*state.usage_of(run));
        Group& group = groups[{state.quota().place_of(leaf).account, *run.spec.request->reservation,
                               std::move(held)}];
        group.graces.insert(open->terms.grace);
        group.runs.push_back(*std::move(open));
    }
    lent_.emplace();
    for (auto& [key, group] : groups) {
        std::ranges::sort(group.runs, {}, &Run::turn);
        lent_->push_back(std::move(group));
    }
}

void PreemptCandidates::list_lent() {
    if (!lent_) build_lent();
    const PreemptRules& rules = cycle_.derived().preemptions.rules;
    const Job& job = *cycle_.state().find_job(pending_->id);
    for (Group& group : *lent_) {
        const auto is_gone = [&](const Run& run) {
            return !is_running(cycle_.state().find_job(run.victim.front()));
        };
        while (group.first < group.runs.size() && is_gone(group.runs[group.first])) ++group.first;
        if (group.first == group.runs.size()) continue;
        const Job& run = job_of(group.runs[group.first]);
        if (run.spec.request->reservation != job.spec.request->reservation) continue;
        if (!rules.queues().lets_preempt(job, run)) continue;
        const auto excess = reclaim().excess_of(run, *claim_);
        if (excess) listed_.push_back({&group, *excess, group.first});
    }
}

bool PreemptCandidates::find_next_lent() {
    while (true) {
        std::erase_if(listed_,
                      [](const Listed& one) { return one.next == one.group->runs.size(); });
        const auto best = std::ranges::min_element(listed_, {}, [](const Listed& one) {
            return std::pair(-one.excess, one.group->runs[one.next].turn);
        });
        if (best == listed_.end()) return false;
        const Run& run = best->group->runs[best->next++];
        const Job* const job = cycle_.state().find_job(run.victim.front());
        if (!is_running(job) || stands_below(*job)) continue;
        if (!found_.empty()) {
            if (!left_) {
                left_.emplace(reclaim());
                for (const JobId part : found_.front()->victim)
                    left_->take(*cycle_.state().find_job(part));
            }
            if (!left_->excess_of(*job, *claim_)) continue;  // The queue is back at its quota.
            for (const JobId part : run.victim) left_->take(*cycle_.state().find_job(part));
        }
        found_.push_back(&run);
        return true;
    }
}

// ---- The list.

void PreemptCandidates::list_for(const PendingJob& pending) {
    pending_ = &pending;
    list_below();
    claim_.reset();
    listed_.clear();
    found_.clear();
    left_.reset();
    if (!may_reclaim(pending)) return;
    const Kind& kind = *pending.shape->kind;
    claim_ = reclaim().claim_of(*cycle_.state().find_job(pending.id), kind.demand, *kind.asked);
    list_lent();
}

const Victim* PreemptCandidates::at(std::size_t place) {
    if (place < below_.size()) return &below_[place].victim;
    while (found_.size() <= place - below_.size()) {
        if (!find_next_lent()) return nullptr;
    }
    return &found_[place - below_.size()]->victim;
}

std::optional<Duration> PreemptCandidates::longest_grace(Duration most) const {
    std::optional<Duration> longest;
    const auto look = [&](const std::set<Duration>& graces) {
        const auto beyond = graces.upper_bound(most);
        if (beyond != graces.begin())
            longest = std::max(longest, std::optional(*std::prev(beyond)));
    };
    look(graces_below_);
    for (const Listed& one : listed_) look(one.group->graces);
    return longest;
}

void PreemptCandidates::take(std::span<const std::size_t> places) {
    if (reclaims()) reclaim();  // As it is before.
    for (const std::size_t place : places) {
        const Victim& victim = run_at(place).victim;
        if (run_at(place).terms.mode == PreemptMode::suspend) continue;  // It keeps its quota.
        taken_.insert(taken_.end(), victim.begin(), victim.end());
    }
    for (const std::size_t place : places | std::views::reverse) {
        if (place < below_.size())
            below_.erase(below_.begin() + static_cast<std::ptrdiff_t>(place));
    }
}

void PreemptCandidates::note_decided() {
    if (!reclaims()) return taken_.clear();
    const ClusterState& state = cycle_.state();
    Kind& kind = *pending_->shape->kind;
    const Job& job = *state.find_job(pending_->id);
    ending_.insert(ending_.end(), taken_.begin(), taken_.end());
    for (const JobId id : taken_) reclaim_->take(*state.find_job(id));
    reclaim_->expect(reclaim_->claim_of(job, kind.demand, limit_request_of(state, job, kind)));
    reclaim_at_ = cycle_.decided();
    taken_.clear();
}

}  // namespace berth
