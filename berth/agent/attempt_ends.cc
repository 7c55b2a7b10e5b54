// How attempts and steps end: SIGTERM, SIGKILL, the empty cgroup, the spooled report, the
// acknowledgement.
#include "berth/agent/attempts.h"

#include <algorithm>

#include "berth/agent/signals.h"

namespace berth {
namespace {

// SIGKILL is repeated after this time, since processes may hang in the kernel.
constexpr Duration kKillAgain = std::chrono::seconds(5);
// Signals kept for a run that has not started; further ones are dropped.
constexpr std::size_t kSignalsKept = 64;

void earlier(std::optional<Time>& due, std::optional<Time> other) {
    if (other && (!due || *other < *due)) due = other;
}

std::string_view text_of(EndReason reason) {
    switch (reason) {
        case EndReason::time_limit: return " DUE TO TIME LIMIT";
        case EndReason::preempted: return " DUE TO PREEMPTION";
        case EndReason::requeued: return " DUE TO JOB REQUEUE";
        case EndReason::node_failed: return " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS";
        case EndReason::cancelled: break;
    }
    return "";
}

// In the words of Slurm's slurmstepd.
NotifyRun end_notice(const RunKey& run, const std::string& node, EndReason reason, Time now) {
    const std::string what = run.step == kBatchStep
                                 ? "JOB " + to_string(run.job)
                                 : "STEP " + to_string(run.job) + "." + to_string(run.step);
    return {run, "*** " + what + " ON " + node + " CANCELLED AT ", now,
            std::string(text_of(reason)) + " ***"};
}

}  // namespace

void Attempts::end(const EndAttempt& order, Effects& effects) {
    const AttemptKey key{order.job, order.attempt};
    if (find(key) != nullptr) {
        tell_of_end(key, order.reason, effects);
        return begin_end(key, order.kill_wait, order.signal, effects);
    }
    if (const auto end = memory_.ends().find(key); end != memory_.ends().end()) {
        effects.reports.emplace_back(end->second);
        return;
    }
    if (protections_.tombstones) memory_.leave_tombstone(key);
    AttemptReport never{.job = key.job, .attempt = key.attempt, .live = false};
    never.never_ran = true;
    report_end(std::move(never), effects);
}

// Once. The signals follow the line, so that it comes before the run's end.
void Attempts::tell_of_end(AttemptKey key, EndReason reason, Effects& effects) {
    const RememberedAttempt& remembered = memory_.attempts().at(key);
    if (remembered.ending || remembered.hook == Hook::epilog) return;
    LiveAttempt& attempt = live_.at(key);
    // srun itself tells of a preemption, whose first signal may have ended the step before.
    for (const auto& [id, step] : attempt.steps) {
        if (reason != EndReason::preempted)
            tell_of_step_end({key.job, key.attempt, id}, reason, effects);
    }
    const LaunchAttempt& launch = remembered.launch;
    if (!launch.batch_host || launch.node_names.empty() || remembered.batch_exit) return;
    NotifyRun line = end_notice({key.job, key.attempt, kBatchStep}, launch.node_names.front(),
                                reason, effects.now);
    if (attempt.starting) {
        attempt.notices.push_back(std::move(line));
    } else {
        effects.actions.emplace_back(std::move(line));
    }
}

// The first of the step's nodes does it for all.
void Attempts::tell_of_step_end(const RunKey& run, EndReason reason, Effects& effects) {
    const RememberedStep& remembered = memory_.steps().at(run);
    const std::optional<LaunchStep>& launch = remembered.launch;
    if (remembered.ending || !launch || launch->node_index != 0 || launch->node_names.empty())
        return;
    NotifyRun line = end_notice(run, launch->node_names.front(), reason, effects.now);
    LiveStep* const step = find_step(run);
    if (step != nullptr && step->phase == LiveStep::Phase::starting) {
        step->notice = std::move(line);
    } else {
        effects.actions.emplace_back(std::move(line));
    }
}

void Attempts::begin_end(AttemptKey key, Duration kill_wait, std::int32_t signal,
                         Effects& effects) {
    LiveAttempt& attempt = live_.at(key);
    RememberedAttempt remembered = memory_.attempts().at(key);
    if (!remembered.ending) {
        remembered.ending = true;
        remembered.ending_since = effects.now;
        memory_.remember(remembered);
    }
    if (remembered.hook != Hook::none) return;  // The hook may finish; nothing else runs.
    const bool was_killed_still = remembered.killed_still;
    remembered.killed_still = was_killed_still || (signal == kKill && remembered.stands_still());
    // An earlier agent may have died between its record and the signal.
    if (remembered.killed_still) signal = kKill;
    const bool thaws = std::exchange(remembered.frozen, false) || remembered.killed_still;
    if (thaws && !was_killed_still) memory_.remember(remembered);
    const FreezeRun thaw{extern_run(key), false, remembered.freeze_change};
    if (signal == kKill) {
        // Killed before it is thawed, it does nothing more: another job may have its cores.
        effects.actions.emplace_back(SignalRun{extern_run(key), kKill, true});
        if (thaws) effects.actions.emplace_back(thaw);
        attempt.kill_at = effects.now + kKillAgain;
    } else {
        // A frozen process would not receive the signal.
        if (thaws) effects.actions.emplace_back(thaw);
        if (!attempt.kill_at) {
            const std::int32_t first = signal > 0 && signal <= kSignalMax ? signal : kTerm;
            effects.actions.emplace_back(SignalRun{extern_run(key), kContinue, true});
            effects.actions.emplace_back(SignalRun{extern_run(key), first, true});
        }
        earlier(attempt.kill_at, effects.now + std::max(kill_wait, Duration{}));
    }
    if (!protections_.wait_for_empty) finish(key, effects);
}

void Attempts::end_step(const EndStep& order, Effects& effects) {
    const RunKey run{order.job, order.attempt, order.step};
    LiveStep* const step = find_step(run);
    if (step == nullptr) {
        if (const auto end = memory_.step_ends().find(run); end != memory_.step_ends().end()) {
            effects.reports.emplace_back(end->second);
        } else if (find({run.job, run.attempt}) != nullptr && !memory_.steps().contains(run)) {
            // It ended before it arrived: a launch that arrives later is refused.
            memory_.remember(run, RememberedStep{.ended = true});
            StepReport never{.job = run.job, .attempt = run.attempt, .step = run.step};
            never.failure = "ended before it was started here";
            report_end(std::move(never), effects);
        }
        return;
    }
    if (step->phase == LiveStep::Phase::waiting) {
        return finish_step(run, "ended before it was started here", effects);
    }
    tell_of_step_end(run, order.reason, effects);
    begin_step_end(run, order.kill_wait, effects);
}

void Attempts::begin_step_end(const RunKey& run, Duration kill_wait, Effects& effects) {
    LiveStep* const step = find_step(run);
    RememberedStep remembered = memory_.steps().at(run);
    if (!remembered.ending) {
        remembered.ending = true;
        remembered.launch.reset();
        memory_.remember(run, remembered);
    }
    if (!step->kill_at) {
        effects.actions.emplace_back(SignalRun{run, kContinue, true});
        effects.actions.emplace_back(SignalRun{run, kTerm, true});
    }
    earlier(step->kill_at, effects.now + std::max(kill_wait, Duration{}));
}

// An attempt that is starting has no process to signal: the signal is sent after the start.
void Attempts::signal(const SignalAttempt& order, Effects& effects) {
    LiveAttempt* const attempt = find({order.job, order.attempt});
    if (attempt == nullptr || order.signal <= 0 || order.signal > kSignalMax) return;
    if (attempt->starting) {
        if (attempt->signals.size() < kSignalsKept) attempt->signals.push_back(order);
        return;
    }
    if (order.checkpoint && !begin_watch({order.job, order.attempt}, effects)) return;
    const auto send = [&](StepId step, bool whole) {
        effects.actions.emplace_back(
            SignalRun{{order.job, order.attempt, step}, order.signal, whole});
    };
    if (order.step == kBatchStep && !order.whole_job) return send(kBatchStep, false);
    for (auto& [id, step] : attempt->steps) {
        const bool meant = order.whole_job || !order.step || order.step == id;
        if (!meant) continue;
        if (step.phase == LiveStep::Phase::running) {
            send(id, true);
        } else if (step.signals.size() < kSignalsKept) {
            step.signals.push_back(order.signal);
        }
    }
    if (order.whole_job) send(kBatchStep, true);
}

void Attempts::acknowledge(const AcknowledgeEnd& order) {
    if (order.step) return memory_.unspool(RunKey{order.job, order.attempt, *order.step});
    memory_.unspool(AttemptKey{order.job, order.attempt});
    if (!protections_.tombstones) memory_.drop_tombstone(order.job);
}

void Attempts::kill_overdue(Effects& effects) {
    const auto kill = [&](std::optional<Time>& kill_at, const RunKey& run) {
        if (!kill_at || *kill_at > effects.now) return false;
        effects.actions.emplace_back(SignalRun{run, kKill, true});
        kill_at = effects.now + kKillAgain;
        return true;
    };
    for (auto& [key, attempt] : live_) {
        const RememberedAttempt& remembered = memory_.attempts().at(key);
        const Duration wait = remembered.launch.unkillable_wait;
        const auto watch = [&, of = key](std::optional<Time>& unkillable_at, bool killed) {
            const bool lives_on = unkillable_at && *unkillable_at <= effects.now;
            if (lives_on) effects.reports.emplace_back(AttemptUnkillable{of.job, of.attempt});
            const bool begins = killed && !unkillable_at && wait > Duration{};
            if (lives_on || begins) unkillable_at = effects.now + wait;
        };
        for (auto& [id, step] : attempt.steps)
            watch(step.unkillable_at, kill(step.kill_at, {key.job, key.attempt, id}));
        watch(attempt.unkillable_at, kill(attempt.kill_at, extern_run(key)));
        kill(attempt.kill_hook_at, hook_run(key, remembered.hook));
    }
}

std::optional<Time> Attempts::next_due() const {
    std::optional<Time> due;
    for (const auto& [key, attempt] : live_) {
        for (const auto& [id, step] : attempt.steps) {
            earlier(due, step.kill_at);
            earlier(due, step.unkillable_at);
        }
        earlier(due, attempt.kill_at);
        earlier(due, attempt.unkillable_at);
        earlier(due, attempt.kill_hook_at);
    }
    return due;
}

// Keeps the first failure, which is the one reported.
void Attempts::fail(AttemptKey key, std::string why, NotBegun not_begun) {
    RememberedAttempt remembered = memory_.attempts().at(key);
    if (!remembered.failure.empty()) return;
    remembered.failure = std::move(why);
    remembered.not_begun = not_begun;
    memory_.remember(remembered);
}

void Attempts::finish_steps(AttemptKey key, Effects& effects) {
    while (!live_.at(key).steps.empty()) {
        const StepId step = live_.at(key).steps.begin()->first;
        finish_step({key.job, key.attempt, step}, "ended with its job", effects);
    }
}

void Attempts::finish(AttemptKey key, Effects& effects) {
    finish_steps(key, effects);
    LiveAttempt& attempt = live_.at(key);
    attempt.kill_at.reset();
    attempt.unkillable_at.reset();
    if (!memory_.attempts().at(key).launch.hooks.epilog.empty()) {
        return start_hook(key, Hook::epilog, effects);
    }
    conclude(key, effects);
}

void Attempts::conclude(AttemptKey key, Effects& effects) {
    const RememberedAttempt& remembered = memory_.attempts().at(key);
    AttemptReport end{.job = key.job, .attempt = key.attempt, .live = false};
    end.batch_exit = remembered.batch_exit;
    end.out_of_memory = remembered.out_of_memory;
    end.usage = remembered.usage;
    end.ended_at = remembered.ended_at;
    end.failure = remembered.failure;
    end.failed_hook = remembered.failed_hook;
    end.hook_failure = remembered.hook_failure;
    end.not_begun = remembered.not_begun;
    end.checkpointed = live_.at(key).checkpointed;
    effects.actions.emplace_back(RemoveAttempt{key.job, key.attempt});
    memory_.forget(key);
    live_.erase(key);
    report_end(std::move(end), effects);
}

void Attempts::finish_step(const RunKey& run, std::string_view otherwise, Effects& effects) {
    live_.at({run.job, run.attempt}).steps.erase(run.step);
    RememberedStep remembered = memory_.steps().at(run);
    remembered.ended = true;
    remembered.launch.reset();
    memory_.remember(run, remembered);
    StepReport end{.job = run.job, .attempt = run.attempt, .step = run.step};
    end.exit = remembered.exit.value_or(ExitStatus{});
    end.out_of_memory = remembered.out_of_memory;
    end.usage = remembered.usage;
    end.failure = remembered.failure;
    if (!remembered.exit && end.failure.empty()) end.failure = otherwise;
    report_end(std::move(end), effects);
}

void Attempts::report_end(AttemptReport end, Effects& effects) {
    if (protections_.spool) memory_.spool(end);
    effects.reports.emplace_back(std::move(end));
}
void Attempts::report_end(StepReport end, Effects& effects) {
    if (protections_.spool) memory_.spool(end);
    effects.reports.emplace_back(std::move(end));
}

}  // namespace berth
