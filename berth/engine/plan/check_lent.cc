#include "berth/engine/plan/check_lent.h"

#include <algorithm>
#include <ranges>

#include "berth/engine/state/turns.h"

namespace berth {
namespace {

Time moved_by(Time start, Duration length) {
    return length >= kNever - start ? kNever : start + length;
}

bool both_have(const NodeShare& a, const NodeShare& b, std::size_t core) {
    return a.cores.size() == b.cores.size() && a.cores.test(core) && b.cores.test(core);
}

bool share_a_core(const NodeShare& a, const NodeShare& b) {
    for (std::size_t core = 0; core < a.cores.size(); ++core) {
        if (both_have(a, b, core)) return true;
    }
    return false;
}

Resources without_cpus(Resources amount, const NodeShare& of, std::size_t cores) {
    if (cores == 0) return amount;
    const auto each =
        of.amount.cpu().count() / static_cast<std::int64_t>(of.cores.count());  // All alike.
    amount.set_cpu(amount.cpu() - Millicpu(each * static_cast<std::int64_t>(cores)));
    return amount;
}

}  // namespace

CheckedLoans::CheckedLoans(const ClusterState& state) : state_(state) {
    std::vector<const Job*> runs;
    bool waits = false;
    for (const JobId id : state.index().holding()) {
        const Job& run = *state.find_job(id);
        runs.push_back(&run);
        if (run.lends_cores()) lenders_[run.allocation->preempted->by].push_back(&run);
        waits = waits || run.awaits_turn();
    }
    if (lenders_.empty() && !waits) return;
    std::ranges::stable_sort(runs, {}, [](const Job* run) { return *run->started_at; });
    on_.resize(state.spec().nodes.size());
    for (const Job* const run : runs) {
        for (const NodeShare& share : run->allocation->shares)
            on_[share.node.index()].push_back({run, &share});
    }
    find_turns(runs);
    for (const Job* const run : runs | std::views::reverse) {
        if (run->lends_cores() && !takes_turns(*run)) ends_[run->id] = end_of_lender(*run);
    }
}

// Two are in one group if the earlier one lends a core by turns that the later one holds. Groups
// that meet are one: the lower number counts.
void CheckedLoans::find_turns(const std::vector<const Job*>& runs) {
    std::int64_t groups = 0;
    for (const Job* const run : runs) {
        if (run->awaits_turn()) in_turns_[run->id] = groups++;
    }
    const auto join = [&](const Job& a, const Job& b) {
        const std::int64_t one = in_turns_.try_emplace(a.id, groups++).first->second;
        const std::int64_t other = in_turns_.try_emplace(b.id, one).first->second;
        for (auto& [id, group] : in_turns_) {
            if (group == other) group = one;
        }
    };
    for (const std::vector<Held>& held : on_) {
        for (std::size_t i = 0; i < held.size(); ++i) {
            const Job& lower = *held[i].run;
            if (!lower.lends_cores() || !lower.allocation->preempted->turns) continue;
            for (std::size_t k = i + 1; k < held.size(); ++k) {
                if (share_a_core(*held[i].share, *held[k].share)) join(lower, *held[k].run);
            }
        }
    }
    std::vector<std::int64_t> numbers;
    numbers.reserve(in_turns_.size());
    for (const auto& [id, group] : in_turns_) numbers.push_back(group);
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const std::int64_t group : numbers) end_together(runs, group);
}

// Since the last of them was told to go on or to stand still, each has the rest of its limit left.
// A change of turn may take an eighth of a time slice. Each run is allowed as many changes as its
// limit has turns of what is left of a slice then, and nine more; it has used up one for each turn.
void CheckedLoans::end_together(const std::vector<const Job*>& runs, std::int64_t group) {
    const SchedulingSpec& scheduling = state_.spec().scheduling;
    std::vector<const Job*> all;
    Time from = Time::min();
    for (const Job* const run : runs) {
        const auto known = in_turns_.find(run->id);
        if (known == in_turns_.end() || known->second != group) continue;
        all.push_back(run);
        from = std::max(from, run->ended_at     ? *run->ended_at
                              : run->suspension ? run->suspension->changed_at
                                                : *run->started_at);
    }
    Time end = from;
    for (const Job* const run : all) {
        if (run->state != JobState::running) continue;
        const bool is_held_back = run->is_suspended() && !run->suspension->by_turn;
        if (run->time_limit == Duration::max() || is_held_back) {
            end = kNever;
            continue;
        }
        Duration left = run->time_limit + over_time(*run);
        const Duration change = scheduling.time_slice / 8;
        std::int64_t changes = run->time_limit / (scheduling.time_slice - change) + 9;
        if (run->suspension) {
            left -= run->suspension->ran_before;
            changes -= run->suspension->changes / 2;
        }
        if (!run->is_suspended())
            left -= from - (run->suspension ? run->suspension->changed_at : *run->started_at);
        end = moved_by(end, std::max(Duration{}, left));
        if (changes > 0) end = moved_by(end, changes * change);
    }
    end = moved_by(end, 2 * scheduling.kill_wait);
    for (const Job* const run : all) ends_[run->id] = end;
}

Duration CheckedLoans::over_time(const Job& job) const {
    const ClusterSpec& spec = state_.spec();
    const std::optional<Duration>& own = spec.partitions[job.partition.index()].over_time_limit;
    return own ? *own : spec.scheduling.over_time_limit;
}

// What is allowed to one that may share its cores, or to a job once it has started.
Duration CheckedLoans::for_changes(const Job& job) const {
    if (job.time_limit == Duration::max() || jobs_on_core(state_.spec(), job) < 2) return {};
    const SchedulingSpec& scheduling = state_.spec().scheduling;
    const Duration change = scheduling.time_slice / 8;
    std::int64_t turns = job.time_limit / (scheduling.time_slice - change) + 9;
    if (job.allocation && job.suspension) turns -= job.suspension->changes / 2;
    return std::max<std::int64_t>(0, turns) * change;
}

Time CheckedLoans::end_by_itself(const Job& run) const {
    const std::optional<Time> limit = limit_ends(run);
    const Time end = limit ? moved_by(*limit, over_time(run)) : kNever;
    const Time due =
        run.spec.deadline ? std::min(end, std::max(*run.spec.deadline, *run.started_at)) : end;
    return moved_by(due, for_changes(run));
}

// Those that have its cores began later, so that their ends are known.
Time CheckedLoans::end_of_lender(const Job& run) const {
    const SchedulingSpec& scheduling = state_.spec().scheduling;
    Time back = run.suspension ? run.suspension->changed_at : *run.started_at;
    for (const NodeShare& share : run.allocation->shares) {
        for (const Held& other : on_[share.node.index()]) {
            if (*other.run->started_at > *run.started_at && share_a_core(*other.share, share))
                back = std::max(back, end_of(*other.run));
        }
    }
    const JobId by = run.allocation->preempted->by;
    const Job* const preemptor = state_.find_job(by);
    const auto hold = state_.schedule().preemptor_holds().find(by);
    if (preemptor != nullptr && preemptor->state == JobState::pending &&
        run.state == JobState::running && hold != state_.schedule().preemptor_holds().end()) {
        const Duration late = 3 * scheduling.kill_wait + std::chrono::minutes(2);
        const Duration more = for_changes(*preemptor);
        const bool is_bounded = more == Duration{} && !preemptor->spec.request->reservation.empty();
        const Duration over = is_bounded ? Duration{} : over_time(*preemptor);
        const Time starts = moved_by(moved_by(hold->second, over), more + late);
        back = std::max(back, moved_by(starts, preemptor->time_limit));
    }
    if (!run.is_suspended()) return std::max(back, end_by_itself(run));
    Time end = kNever;
    if (run.time_limit != Duration::max()) {
        const Duration left = std::max(Duration{}, run.time_limit - run.suspension->ran_before);
        end = moved_by(moved_by(back, left), over_time(run));
    }
    if (run.spec.deadline) end = std::min(end, *run.spec.deadline);
    return std::max(back, moved_by(end, for_changes(run)));
}

Time CheckedLoans::end_of(const Job& run) const {
    if (run.lends_cores() || takes_turns(run)) return ends_.at(run.id);
    const Time end = end_by_itself(run);
    const auto& preempted = run.allocation->preempted;
    if (!preempted) return end;
    const Duration kill = state_.spec().scheduling.kill_wait;
    return std::min(
        end, moved_by(preempted->ends_at, std::max<Duration>(kill, std::chrono::seconds(1))));
}

Resources CheckedLoans::own_part(const Job& run, const NodeShare& share) const {
    if (on_.empty()) return share.amount;
    std::size_t borrowed = 0;
    for (std::size_t core = 0; core < share.cores.size(); ++core) {
        const bool is_others = std::ranges::any_of(on_[share.node.index()], [&](const Held& other) {
            return *other.run->started_at < *run.started_at && both_have(*other.share, share, core);
        });
        if (is_others) ++borrowed;
    }
    return without_cpus(share.amount, share, borrowed);
}

// Not what others have of them, unless they are told to end; nor what is not of the node as it is.
Resources CheckedLoans::taken_besides(JobId job, NodeId node, Resources amount) const {
    const auto lenders = lenders_.find(job);
    if (lenders == lenders_.end()) return amount;
    const NodeSpec& spec = state_.spec().node(node);
    for (const Held& lender : on_[node.index()]) {
        if (std::ranges::find(lenders->second, lender.run) == lenders->second.end()) continue;
        const NodeShare& share = *lender.share;
        const auto cpus = static_cast<std::int64_t>(share.cores.count() * spec.threads_per_core);
        if (share.cores.size() != spec.cores() || share.amount.cpu() != cores(cpus)) continue;
        std::size_t lent = 0;
        for (std::size_t core = 0; core < share.cores.size(); ++core) {
            const bool is_taken = std::ranges::any_of(on_[node.index()], [&](const Held& other) {
                const bool ends = other.run->allocation->preempted && !other.run->lends_cores();
                return *other.run->started_at > *lender.run->started_at && !ends &&
                       both_have(*other.share, share, core);
            });
            if (share.cores.test(core) && !is_taken) ++lent;
        }
        amount = without_cpus(amount, share, lent);
    }
    amount.set_cpu(max(Millicpu(0), amount.cpu()));
    return amount;
}

}  // namespace berth
