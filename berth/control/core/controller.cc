#include "berth/control/core/controller.h"

#include <algorithm>
#include <map>

#include "berth/control/agents/nodes.h"
#include "berth/control/alarms/keepalives.h"
#include "berth/control/alarms/step_limits.h"
#include "berth/control/alarms/warnings.h"
#include "berth/control/commands/commands.h"
#include "berth/control/core/cycle_pace.h"
#include "berth/control/core/debug_lines.h"
#include "berth/control/notices/controller_hooks.h"
#include "berth/control/notices/notices.h"

namespace berth {
namespace {

// The most finished jobs that one turn considers for removal.
constexpr int kForgottenPerTurn = 1000;

// About the most that the daemon hands over in one turn.
constexpr std::size_t kManyInputs = 4000;

// The latest time stored in a job; no record can be earlier. For a state that comes without its
// last record.
Time latest_moment(const ClusterState& state) {
    Time latest{};
    for (const auto& [id, job] : state.jobs()) {
        latest = std::max({latest, job.submitted_at, job.started_at.value_or(latest),
                           job.ended_at.value_or(latest), job.eligible_at.value_or(latest)});
    }
    return latest;
}

}  // namespace

struct Controller::Parts {
    Parts(Engine recovered, ClusterSpec wanted, Epoch own_epoch, std::uint64_t sequence,
          Time recorded_at)
        : engine(std::move(recovered)),
          spec(std::move(wanted)),
          epoch(own_epoch),
          next_sequence(sequence),
          nodes(engine.state()),
          warnings(engine.state()),
          step_limits(engine.state()),
          notices(engine.state()),
          hooks(engine.state()),
          keepalives(engine.state()),
          now(std::max(recorded_at, latest_moment(engine.state()))) {}

    void become_leader(TurnBuilder& builder);
    void take(TurnBuilder& builder, Input input, bool has_room);
    void take(TurnBuilder& builder, ClientInput input, bool has_room);
    void note_late_ends(const TurnBuilder& builder);
    void forget_old(TurnBuilder& builder);
    void warn(TurnBuilder& builder);
    void send_warning(TurnBuilder& builder, const Job& job);
    void warn_preempted(TurnBuilder& builder, const JobsPreempted& fact);
    bool is_waited_for(const Job& job) const;
    void schedule(TurnBuilder& builder, Observer* observer);
    void answer_tests(TurnBuilder& builder, bool has_room);
    Turn finish(TurnBuilder& builder);
    std::optional<Time> next_forgotten() const;

    Engine engine;
    std::optional<ClusterSpec> spec;  // Until the first turn.
    Epoch epoch;
    std::uint64_t next_sequence;
    Nodes nodes;
    Warnings warnings;
    StepLimits step_limits;
    Notices notices;
    ControllerHooks hooks;
    Keepalives keepalives;
    Time now;
    bool cycle_is_due = true;
    std::optional<Time> cycle_at;
    CyclePace pace;
    std::uint32_t cycle_budget = kCycleBudget;
    bool cycled = false;  // In the last turn.
    std::vector<ReplyTo> hash_wanted;
    std::vector<ClientInput> tests;  // TestJob: answered by the plan of this turn.
    // Jobs whose end was learned of long after it, and when it was learned: they are kept for
    // min_job_age from then.
    std::map<JobId, Time> heard_late;
};

Controller::Controller(Engine recovered, ClusterSpec spec, Epoch epoch, std::uint64_t next_sequence,
                       Time recorded_at)
    : parts_(std::make_unique<Parts>(std::move(recovered), std::move(spec), epoch, next_sequence,
                                     recorded_at)) {}
Controller::Controller(Controller&&) noexcept = default;
Controller& Controller::operator=(Controller&&) noexcept = default;
Controller::~Controller() = default;

const ClusterState& Controller::state() const { return parts_->engine.state(); }
Time Controller::now() const { return parts_->now; }

Turn Controller::turn(Time now, std::vector<Input> inputs, bool has_room, Observer* observer) {
    Parts& parts = *parts_;
    parts.now = std::max(parts.now, now);
    TurnBuilder builder(parts.engine, parts.now, parts.epoch);
    const bool first = parts.spec.has_value();
    if (first) parts.become_leader(builder);
    // With this many inputs, more may be waiting, among them messages of nodes that seem not to
    // respond.
    const bool heard_all = inputs.size() < kManyInputs;
    for (Input& input : inputs) parts.take(builder, std::move(input), has_room);
    if (heard_all) parts.nodes.check_due(builder);
    parts.forget_old(builder);
    parts.warn(builder);
    parts.step_limits.end_due(builder);
    parts.notices.note_limits(builder);
    parts.keepalives.end_silent(builder);
    parts.schedule(builder, observer);
    parts.answer_tests(builder, has_room);
    Turn turn = parts.finish(builder);
    if (first) turn.changes.spec = turn.changes.all = true;  // Readers have no data yet.
    return turn;
}

void Controller::turn_took(Duration length) {
    if (parts_->cycled) parts_->pace.ran(parts_->now + length, length);
}

void Controller::limit_cycles(std::uint32_t placement_attempts) {
    parts_->cycle_budget = placement_attempts;
}

void Controller::Parts::become_leader(TurnBuilder& builder) {
    builder.record(ControllerStarted{epoch});
    ClusterSpec kept = spec_for(builder.state(), *std::move(spec));
    spec.reset();
    if (kept != builder.state().spec()) builder.record(SpecInstalled{std::move(kept)});
    nodes.install(builder.state().spec());
    nodes.begin_watch(builder);
}

void Controller::Parts::take(TurnBuilder& builder, Input input, bool has_room) {
    if (auto* report = std::get_if<AgentInput>(&input)) {
        nodes.on_message(builder, std::move(*report));
    } else if (const auto* lost = std::get_if<LinkLost>(&input)) {
        nodes.on_disconnect(builder, lost->link);
    } else if (const auto* answer = std::get_if<FenceAnswered>(&input)) {
        nodes.on_fence_answered(builder, *answer);
    } else if (const auto* hook = std::get_if<HookAnswered>(&input)) {
        hooks.answered(builder, *hook);
    } else {
        take(builder, std::get<ClientInput>(std::move(input)), has_room);
    }
}

void Controller::Parts::take(TurnBuilder& builder, ClientInput input, bool has_room) {
    auto& [reply_to, principal, command] = input;
    if (const auto* alive = std::get_if<KeepAlive>(&command)) {
        builder.answer(reply_to, keepalives.keep_alive(builder, principal, *alive));
    } else if (std::holds_alternative<TestJob>(command)) {
        tests.push_back(std::move(input));
    } else if (!std::holds_alternative<HashState>(command)) {
        Answer answer = carry_out(builder, nodes, principal, std::move(command), has_room);
        if (const auto* no = std::get_if<Refused>(&answer)) log_refusal(builder, principal, *no);
        builder.answer(reply_to, std::move(answer));
    } else if (auto no = forbidden(principal, Verb::hash_state)) {
        builder.answer(reply_to, *std::move(no));
    } else {
        hash_wanted.push_back(reply_to);  // The hash of the state after this turn's record.
    }
}

// A job that others depend on is kept: its end decides about them. They may refer to its array.
bool Controller::Parts::is_waited_for(const Job& job) const {
    const ClusterState& state = engine.state();
    if (job.hook != ControllerHook::none) return true;
    return !state.index().dependents(job.id).empty() ||
           (job.array_job && !state.index().dependents(*job.array_job).empty());
}

void Controller::Parts::note_late_ends(const TurnBuilder& builder) {
    const Duration age = builder.scheduling().min_job_age;
    for (const Fact& fact : builder.turn().record.facts) {
        const auto* const end = std::get_if<AttemptEnded>(&fact);
        if (end == nullptr) continue;
        const Job* const job = builder.state().find_job(end->job);
        const bool is_old = job != nullptr && is_final(job->state) && *job->ended_at + age <= now;
        if (is_old) heard_late.emplace(end->job, now);
    }
    std::erase_if(heard_late, [&](const auto& one) { return one.second + age <= now; });
}

void Controller::Parts::forget_old(TurnBuilder& builder) {
    note_late_ends(builder);
    const Time before = now - builder.scheduling().min_job_age;
    std::vector<JobId> old;
    int seen = 0;
    for (const auto& [ended_at, job] : builder.state().index().finished()) {
        if (ended_at > before || seen++ >= kForgottenPerTurn) break;
        if (heard_late.contains(job)) continue;
        if (!is_waited_for(*builder.state().find_job(job))) old.push_back(job);
    }
    for (const JobId job : old) builder.record(JobForgotten{job});
}

// Sends the signals that jobs asked for with --signal.
void Controller::Parts::warn(TurnBuilder& builder) {
    for (const JobId id : warnings.due(now)) {
        const Job* const found = builder.state().find_job(id);
        // Jobs that this turn has ended or removed get their alarms cleared at its end.
        if (found == nullptr || found->state != JobState::running) continue;
        builder.record(JobWarned{id, found->attempt});
        send_warning(builder, *builder.state().find_job(id));
    }
}

// REQUIRES: the job has a --signal.
void Controller::Parts::send_warning(TurnBuilder& builder, const Job& job) {
    const WarningSignal& warning = *job.spec.command->warning;
    std::span<const NodeId> where(*job.nodes);
    SignalAttempt order{.job = job.id, .attempt = job.attempt, .signal = warning.signal};
    if (warning.batch) {
        where = where.first(1);
        order.step = kBatchStep;
    }
    nodes.signal(builder, job, where, order);
}

// What is preempted with a grace time gets CONT and TERM when that begins: all steps but the batch
// script, as in Slurm. OrderSync warns what is to save a checkpoint.
void Controller::Parts::warn_preempted(TurnBuilder& builder, const JobsPreempted& fact) {
    for (const JobsPreempted::Victim& victim : fact.victims) {
        const Job* const job = builder.state().find_job(victim.job);
        if (job == nullptr || job->state != JobState::running || victim.ends_at <= now) continue;
        if (victim.mode == PreemptMode::checkpoint) continue;
        if (builder.scheduling().preemption.user_signal && job->spec.command->warning) {
            send_warning(builder, *job);
            continue;
        }
        constexpr std::int32_t kCont = 18, kTerm = 15;
        for (const std::int32_t signal : {kCont, kTerm}) {
            nodes.signal(builder, *job, *job->nodes,
                         {.job = job->id, .attempt = job->attempt, .signal = signal});
        }
    }
}

std::optional<Time> Controller::Parts::next_forgotten() const {
    const auto& finished = engine.state().index().finished();
    if (finished.empty()) return std::nullopt;
    const Duration age = engine.state().spec().scheduling.min_job_age;
    std::optional<Time> due;
    const auto next = finished.upper_bound({now - age, JobId(UINT32_MAX)});
    if (next != finished.end()) due = next->first + age;
    for (const auto& [job, heard] : heard_late) {
        due = due ? std::min(*due, heard + age) : heard + age;
    }
    return due;
}

void Controller::Parts::schedule(TurnBuilder& builder, Observer* observer) {
    if (!builder.is_empty() || (cycle_at && *cycle_at <= now)) cycle_is_due = true;
    cycled = cycle_is_due && pace.may_run(now, !builder.turn().answers.empty());
    if (!cycled) return;
    const int most = pace.is_long() ? 1 : kCyclesPerTurn;
    for (int i = 0; cycle_is_due && i < most; ++i) {
        if (observer != nullptr) observer->cycle_begins();
        Cycle cycle = engine.cycle(now, cycle_budget);
        if (observer != nullptr) observer->cycle_ended(cycle.work);
        for (const Fact& decision : cycle.decisions) {
            if (const auto* const fact = std::get_if<JobsPreempted>(&decision))
                warn_preempted(builder, *fact);
        }
        builder.record_applied(std::move(cycle.decisions));
        cycle_is_due = !cycle.complete;
        cycle_at = cycle.wake_at;
    }
}

void Controller::Parts::answer_tests(TurnBuilder& builder, bool has_room) {
    for (auto& [reply_to, principal, command] : std::exchange(tests, {})) {
        Answer answer =
            test_job(builder, principal, std::get<TestJob>(std::move(command)), has_room);
        if (const auto* no = std::get_if<Refused>(&answer)) log_refusal(builder, principal, *no);
        builder.answer(reply_to, std::move(answer));
    }
}

Turn Controller::Parts::finish(TurnBuilder& builder) {
    ClusterState::Touched touched = engine.mutable_state().take_touched();
    nodes.mark_changed(engine.state(), touched);
    warnings.note(engine.state(), touched);
    step_limits.note(engine.state(), touched);
    notices.note(builder, touched);
    hooks.note(builder, touched);
    keepalives.note(engine.state(), now, touched);
    const std::size_t facts = builder.turn().record.facts.size();
    nodes.sync_marked(builder);
    if (builder.turn().record.facts.size() != facts) cycle_is_due = true;
    log_debug_facts(builder);

    Turn turn = std::move(builder.turn());
    turn.record.epoch = epoch;
    turn.record.now = now;
    if (!turn.record.facts.empty()) turn.record.sequence = next_sequence++;
    for (const ReplyTo& to : std::exchange(hash_wanted, {})) {
        turn.answers.push_back({to, StateHashed{engine.state().hash(), next_sequence - 1}});
    }
    turn.changes = {now,
                    next_sequence - 1,
                    std::move(touched.jobs),
                    std::move(touched.gone),
                    std::move(touched.nodes),
                    touched.spec,
                    std::move(touched.usage),
                    touched.reservations,
                    std::move(turn.changes.samples),
                    touched.all};
    const auto wake = [&](std::optional<Time> at) {
        if (at && (!turn.wake_at || *at < *turn.wake_at)) turn.wake_at = at;
    };
    wake(cycle_is_due ? pace.next(now) : cycle_at);
    wake(nodes.next_check());
    wake(next_forgotten());
    wake(warnings.next());
    wake(step_limits.next());
    wake(notices.next());
    wake(keepalives.next());
    return turn;
}

}  // namespace berth
