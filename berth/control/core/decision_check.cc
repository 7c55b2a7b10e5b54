#include "berth/control/core/decision_check.h"

#include "berth/base/codec.h"
#include "berth/control/alarms/keepalives.h"
#include "berth/control/core/cycle_pace.h"
#include "berth/engine/derived/derived_state.h"
#include "berth/model/flavor_of.h"

namespace berth {
namespace {

// A cycle continues where the budget of the last one ended. More than this many in a row would be a
// bug.
constexpr int kCyclesAtOnce = 100'000;

template <class Kind>
const Kind* is(const Fact& fact) {
    return std::get_if<Kind>(&fact);
}

std::string job_text(JobId job) { return "job " + std::to_string(job.value()); }

std::string places_text(const ClusterState& state, const Allocation& allocation) {
    std::string text;
    for (const NodeShare& share : allocation.shares) {
        text += text.empty() ? " on " : ", ";
        text += state.spec().node(share.node).name + " (" + std::to_string(share.cpus) + " CPUs, " +
                std::to_string(share.tasks) + " tasks, cores";
        for (std::size_t core = 0; core < share.cores.size(); ++core) {
            if (share.cores.test(core)) text += " " + std::to_string(core);
        }
        std::string devices;
        for_each_bit(share.devices, [&](int device) { devices += " " + std::to_string(device); });
        text += (devices.empty() ? "" : ", devices" + devices) + ")";
    }
    return text;
}

// "job 12, its task 3 as job 14, run 2, 3600 s at most"
std::string start_text(const StartJob& start) {
    std::string text = job_text(start.job);
    if (start.array_task) text += ", its task " + std::to_string(*start.array_task);
    if (start.task_job) text += " as " + job_text(*start.task_job);
    text += ", run " + std::to_string(start.attempt.value());
    if (start.time_limit) text += ", " + std::to_string(seconds(*start.time_limit)) + " s at most";
    return text;
}

std::string text_of(const ClusterState& state, const Fact& fact) {
    if (const auto* one = is<StartJob>(fact)) {
        return "start of " + start_text(*one) + places_text(state, one->allocation) +
               ", priority " + std::to_string(one->priority);
    }
    if (const auto* one = is<EndJob>(fact)) {
        return "end of " + job_text(one->job) + " (" + one->reason + ")";
    }
    if (const auto* one = is<JobsPreempted>(fact)) {
        std::string text = "preemption for " + job_text(one->preemptor) + " of";
        for (const JobsPreempted::Victim& victim : one->victims) text += " " + job_text(victim.job);
        return text;
    }
    if (const auto* one = is<JobsPlanned>(fact)) {
        std::string text = "planned starts:";
        for (const auto& [job, planned] : one->jobs) {
            text += " " + job_text(job) + (planned ? " at " : " withdrawn");
            if (planned) text += std::to_string(seconds(planned->start.time_since_epoch()));
        }
        return text;
    }
    if (const auto* one = is<JobMoved>(fact)) {
        return "move of " + job_text(one->job) + " to partition " +
               state.spec().partition(one->partition).name + flavor_text(state.spec(), one->flavor);
    }
    if (const auto* one = is<JobsEligible>(fact)) {
        return std::to_string(one->jobs.size()) + " jobs eligible";
    }
    if (const auto* one = is<DependencyFailed>(fact)) {
        return "failed dependency of " + job_text(one->job);
    }
    if (const auto* one = is<DeadlineMissed>(fact)) {
        return "missed deadline of " + job_text(one->job);
    }
    if (const auto* one = is<JobSuspended>(fact)) {
        return (one->in_force ? "suspension of " : "resumption of ") + job_text(one->job);
    }
    if (const auto* one = is<JobCancelled>(fact)) {
        return "cancellation of " + job_text(one->job) + " for " + one->reason;
    }
    return "a fact of kind " + std::to_string(fact.index());
}

// A cycle moves a reservation on once its time is over; any other change is an administrator's.
bool is_over(const ClusterState& state, const std::string& name, Time now) {
    const Reservation* const found = state.reservations().find(name);
    return found != nullptr && found->end <= now;
}

// Operators cannot suspend or resume a run that lends its cores until others have ended.
bool lends_cores(const ClusterState& state, JobId job) {
    const Job* const run = state.find_job(job);
    return run != nullptr && run->lends_cores() && !run->lends_by_turns();
}

// A cycle ends what is preempted when its grace time is over, or it has saved its checkpoint; until
// then its script may end itself.
bool is_due(const ClusterState& state, JobId job, Time now) {
    const Job* const run = state.find_job(job);
    return run != nullptr && run->allocation && run->allocation->preempted &&
           run->allocation->preempted->must_end(now);
}

// The script has ended by itself just before, which no cycle knew.
bool comes_with_its_report(const std::vector<Fact>& facts, std::size_t at) {
    const auto* const end = is<EndJob>(facts[at]);
    const auto* const report = at + 1 < facts.size() ? is<AttemptEnded>(facts[at + 1]) : nullptr;
    return end != nullptr && end->preempted_by && report != nullptr && report->job == end->job &&
           report->batch_exit;
}

}  // namespace

bool DecisionCheck::is_of_a_cycle(const Fact& fact, Time now) const {
    if (const auto* end = is<EndJob>(fact)) {
        return (end->outcome == JobState::timeout && end->reason != kInactiveLimit) ||
               end->outcome == JobState::deadline ||
               (end->preempted_by && is_due(engine_.state(), end->job, now));
    }
    if (const auto* suspended = is<JobSuspended>(fact)) {
        return suspended->turn || lends_cores(engine_.state(), suspended->job);
    }
    if (const auto* set = is<ReservationSet>(fact)) {
        return is_over(engine_.state(), set->reservation.name, now);
    }
    if (const auto* gone = is<ReservationDeleted>(fact)) {
        return is_over(engine_.state(), gone->name, now);
    }
    return is<StartJob>(fact) || is<PlanJob>(fact) || is<JobsPlanned>(fact) ||
           is<JobEligible>(fact) || is<JobsEligible>(fact) || is<DependencyFailed>(fact) ||
           is<DeadlineMissed>(fact) || is<JobsPreempted>(fact) || is<JobMoved>(fact) ||
           (is<JobCancelled>(fact) && !is<JobCancelled>(fact)->reason.empty());
}

// Runs the cycles of this turn, whose first decision is fact number `at`. On return `at` is behind
// their last decision.
std::optional<DecisionCheck::Difference> DecisionCheck::decide(const Record& record,
                                                               std::size_t& at) {
    const std::vector<Fact>& facts = record.facts;
    for (int i = 0; at < facts.size() && is_of_a_cycle(facts[at], record.now); ++i) {
        const Cycle cycle = engine_.cycle(record.now, kCycleBudget);
        for (const Fact& fact : cycle.decisions) {
            const bool has_it = at < facts.size();
            if (has_it && encode(facts[at]) == encode(fact)) {
                ++at;
                ++decisions_;
                continue;
            }
            const bool other = has_it && is_of_a_cycle(facts[at], record.now);
            return Difference{record.sequence, other ? text_of(state(), facts[at]) : "",
                              text_of(state(), fact)};
        }
        const bool at_its_end = cycle.complete || i == kCyclesAtOnce;
        if (cycle.decisions.empty() && at_its_end) {
            return Difference{record.sequence, text_of(state(), facts[at]), ""};
        }
    }
    return std::nullopt;
}

// A cycle without decisions leaves no fact, so the turn may have had one. If this engine decides
// something, the daemon has put the cycle off: it is undone here.
void DecisionCheck::think(Time now) {
    const ClusterState::Mark before = engine_.mutable_state().checkpoint();
    FairShares shares = engine_.derived().fair_shares;
    for (int i = 0; i < kCyclesPerTurn; ++i) {
        const Cycle cycle = engine_.cycle(now, kCycleBudget);
        if (!cycle.decisions.empty()) {
            ++put_off_;
            engine_.undo(before, std::move(shares));
            return;
        }
        if (cycle.complete) break;
    }
    engine_.mutable_state().commit(before);
}

std::optional<DecisionCheck::Difference> DecisionCheck::take(const Record& record) {
    bool decided = false;
    for (std::size_t at = 0; at < record.facts.size();) {
        const Fact& fact = record.facts[at];
        if (is<ControllerStarted>(fact)) {  // A new controller knows only the state.
            engine_ = Engine(std::move(engine_.mutable_state()));
        }
        const bool is_reported = comes_with_its_report(record.facts, at);
        if (!decided && !is_reported && is_of_a_cycle(fact, record.now)) {
            decided = true;
            if (auto difference = decide(record, at)) return difference;
        } else {
            engine_.apply(record.now, fact);
            ++at;
        }
    }
    if (!decided) think(record.now);
    return std::nullopt;
}

}  // namespace berth
