#include "berth/agent/attempts.h"

#include <algorithm>

#include "berth/agent/signals.h"

namespace berth {

namespace {

bool intersect(const BitSet& a, const BitSet& b) {
    for (std::size_t i = a.find_first(); i != BitSet::kNone; i = a.find_next(i)) {
        if (i < b.size() && b.test(i)) return true;
    }
    return false;
}

}  // namespace

Attempts::LiveAttempt* Attempts::find(AttemptKey key) {
    const auto found = live_.find(key);
    return found == live_.end() ? nullptr : &found->second;
}

Attempts::LiveStep* Attempts::find_step(const RunKey& run) {
    LiveAttempt* const attempt = find({run.job, run.attempt});
    if (attempt == nullptr) return nullptr;
    const auto found = attempt->steps.find(run.step);
    return found == attempt->steps.end() ? nullptr : &found->second;
}

// ---- Launches.

std::string Attempts::conflict(const LaunchAttempt& order) const {
    for (const auto& [key, live] : live_) {
        const RememberedAttempt& other = memory_.attempts().at(key);
        const std::string who =
            "attempt " + to_string(key.attempt) + " of job " + to_string(key.job);
        if (key.job == order.job) return who + " is still live on this node";
        if (other.unknown_share) return who + " may hold anything of this node";
        if (const DeviceMask both = in_conflict(other.launch.share, order.share)) {
            return who + " holds devices " + mask_to_list(both) + " of this node";
        }
        // A run that stands still may lend its cores.
        if (!other.stands_still() && intersect(other.launch.share.cores, order.share.cores)) {
            return who + " holds some of the cores " + order.share.cores.to_list() +
                   " of this node";
        }
    }
    return {};
}

void Attempts::launch(LaunchAttempt order, Effects& effects) {
    const AttemptKey key{order.job, order.attempt};
    if (find(key) != nullptr) {
        if (memory_.attempts().at(key).started) {
            effects.reports.emplace_back(AttemptStarted{key.job, key.attempt});
        }
        return;
    }
    if (const auto end = memory_.ends().find(key); end != memory_.ends().end()) {
        effects.reports.emplace_back(end->second);
        return;
    }
    if (protections_.attempts && order.attempt <= memory_.last_attempt(order.job)) {
        AttemptReport never{.job = key.job, .attempt = key.attempt, .live = false};
        never.never_ran = true;
        effects.reports.emplace_back(std::move(never));
        return;
    }
    if (protections_.overlap) {
        if (std::string why = conflict(order); !why.empty()) {
            return refuse(key, std::move(why), effects);
        }
    }
    memory_.leave_tombstone(key);
    RememberedAttempt attempt;
    attempt.launch = order;
    memory_.remember(attempt);
    live_[key].starting = true;
    if (!order.hooks.prolog.empty()) return start_hook(key, Hook::prolog, effects);
    effects.actions.emplace_back(StartAttempt{std::move(order)});
}

void Attempts::refuse(AttemptKey key, std::string why, Effects& effects) {
    memory_.leave_tombstone(key);
    AttemptReport refused{.job = key.job, .attempt = key.attempt, .live = false};
    refused.never_ran = true;
    refused.failure = std::move(why);
    refused.not_begun = NotBegun::for_node;
    report_end(std::move(refused), effects);
}

void Attempts::launch_step(LaunchStep order, Effects& effects) {
    const AttemptKey key{order.job, order.attempt};
    const RunKey run{order.job, order.attempt, order.step};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr || memory_.attempts().at(key).ending) {
        StepReport refused{.job = run.job, .attempt = run.attempt, .step = run.step};
        refused.failure = "attempt " + to_string(key.attempt) + " of job " + to_string(key.job) +
                          " does not run on this node";
        if (!memory_.steps().contains(run)) effects.reports.emplace_back(std::move(refused));
        return;
    }
    if (const LiveStep* const step = find_step(run); step != nullptr) {
        if (step->phase == LiveStep::Phase::running) {
            effects.reports.emplace_back(StepStarted{run.job, run.attempt, run.step});
        }
        return;
    }
    if (memory_.steps().contains(run)) {  // It has been here and ended.
        const auto end = memory_.step_ends().find(run);
        if (end != memory_.step_ends().end()) effects.reports.emplace_back(end->second);
        return;
    }
    memory_.remember(run, RememberedStep{.launch = order});
    LiveStep& step = attempt->steps[run.step];
    if (attempt->starting || memory_.attempts().at(key).frozen) {
        step.phase = LiveStep::Phase::waiting;
        step.launch = std::move(order);
    } else {
        start_step(key, order, effects);
    }
}

void Attempts::start_step(AttemptKey key, const LaunchStep& order, Effects& effects) {
    LiveStep& step = live_.at(key).steps.at(order.step);
    step.phase = LiveStep::Phase::starting;
    step.launch.reset();
    StartStep start{order, memory_.attempts().at(key).launch};
    start.attempt.payload = {};
    effects.actions.emplace_back(std::move(start));
}

// Those that came before their attempt had started, or while it stood still.
void Attempts::start_waiting_steps(AttemptKey key, Effects& effects) {
    for (auto& [id, step] : live_.at(key).steps) {
        if (step.phase != LiveStep::Phase::waiting || !step.launch) continue;
        const LaunchStep order = *std::move(step.launch);
        start_step(key, order, effects);
    }
}

// ---- Events from the host.

void Attempts::started(const RunKey& run, Effects& effects) {
    const AttemptKey key{run.job, run.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    if (run.step == kBatchStep || run.step == kExternStep) {
        if (attempt->starting) attempt_started(key, effects);
        return;
    }
    LiveStep* const step = find_step(run);
    if (step == nullptr || step->phase != LiveStep::Phase::starting) return;
    step->phase = LiveStep::Phase::running;
    effects.reports.emplace_back(StepStarted{run.job, run.attempt, run.step});
    if (step->notice) effects.actions.emplace_back(*std::exchange(step->notice, std::nullopt));
    // It was ordered to end while it started: the first signal may have found no process.
    if (memory_.attempts().at(key).ending) {
        effects.actions.emplace_back(SignalRun{extern_run(key), kTerm, true});
    } else if (memory_.steps().at(run).ending) {
        effects.actions.emplace_back(SignalRun{run, kTerm, true});
    } else {
        for (const std::int32_t number : std::exchange(step->signals, {}))
            effects.actions.emplace_back(SignalRun{run, number, true});
    }
    freeze_again(key, effects);
}

void Attempts::attempt_started(AttemptKey key, Effects& effects) {
    LiveAttempt& attempt = live_.at(key);
    attempt.starting = false;
    RememberedAttempt remembered = memory_.attempts().at(key);
    remembered.started = true;
    remembered.launch.payload = {};
    memory_.remember(remembered);
    effects.reports.emplace_back(AttemptStarted{key.job, key.attempt});
    for (NotifyRun& line : std::exchange(attempt.notices, {})) {
        tell_user(key, std::move(line), effects);
    }
    if (remembered.ending) {
        effects.actions.emplace_back(SignalRun{extern_run(key), kTerm, true});
        return;
    }
    start_waiting_steps(key, effects);
    for (const SignalAttempt& order : std::exchange(attempt.signals, {})) signal(order, effects);
}

void Attempts::failed_to_start(const RunFailedToStart& event, Effects& effects) {
    const auto& [run, why, not_begun] = event;
    const AttemptKey key{run.job, run.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    if (run.step == kPrologStep && not_begun != NotBegun::unknown)
        return prolog_not_begun(event, effects);
    if (is_hook(run.step)) return hook_ended(run, why, effects);
    if (run.step == kBatchStep || run.step == kExternStep) {
        fail(key, why, not_begun);
        finish(key, effects);  // Nothing of it runs, so there is nothing to wait for.
        return;
    }
    if (find_step(run) == nullptr) return;
    RememberedStep step = memory_.steps().at(run);
    step.failure = why;
    memory_.remember(run, step);
    finish_step(run, "", effects);
    // While the step started, an empty cgroup did not count as the end: check again.
    if (memory_.attempts().at(key).ending) {
        effects.actions.emplace_back(SignalRun{extern_run(key), kTerm, true});
    }
    freeze_again(key, effects);
}

void Attempts::exited(const RunExited& event, Effects& effects) {
    const AttemptKey key{event.run.job, event.run.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    if (is_hook(event.run.step)) return hook_ended(event.run, hook_failure(event.exit), effects);
    if (event.run.step == kBatchStep) {
        RememberedAttempt remembered = memory_.attempts().at(key);
        if (remembered.batch_exit) return;
        remembered.batch_exit = event.exit;
        remembered.failure = event.failure;
        remembered.out_of_memory = event.out_of_memory;
        remembered.usage = event.usage;
        const std::optional<Time>& told = remembered.ending_since;
        if (event.ended_at && (!told || *event.ended_at <= *told)) {
            remembered.ended_at = event.ended_at;
        }
        remembered.started = true;
        attempt->starting = false;
        attempt->exit_due = attempt->to_start = false;
        memory_.remember(remembered);
        // When the script ends, everything else of the job is ended too. What is frozen does not go
        // on for that: another job may have its cores.
        const std::int32_t signal = remembered.stands_still() ? kKill : kTerm;
        if (!rebooted_) begin_end(key, remembered.launch.kill_wait, signal, effects);
        return;
    }
    LiveStep* const live = find_step(event.run);
    if (live == nullptr) return;
    live->phase = LiveStep::Phase::running;
    RememberedStep step = memory_.steps().at(event.run);
    step.exit = event.exit;
    step.launch.reset();
    step.out_of_memory = event.out_of_memory;
    step.usage = event.usage;
    memory_.remember(event.run, step);
    if (!rebooted_) {
        begin_step_end(event.run, memory_.attempts().at(key).launch.kill_wait, effects);
    }
}

void Attempts::emptied(const RunKey& run, Effects& effects) {
    const AttemptKey key{run.job, run.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    if (is_hook(run.step)) return hook_ended(run, "is gone and left no exit status", effects);
    if (attempt->starting || attempt->exit_due || attempt->to_start) return;
    const RememberedAttempt& remembered = memory_.attempts().at(key);
    if (remembered.hook != Hook::none) return;
    if (run.step == kExternStep && remembered.ending) {
        // Once a starting step is in its cgroup, the signal is sent again.
        if (!attempt->any_step_starting()) finish(key, effects);
    } else if (run.step == kBatchStep || run.step == kExternStep) {
        if (!remembered.launch.batch_host || remembered.ending) return;
        fail(key, "its script is gone and left no exit status");
        const std::int32_t signal = remembered.stands_still() ? kKill : kTerm;
        begin_end(key, remembered.launch.kill_wait, signal, effects);
    } else if (const LiveStep* const step = find_step(run);
               step != nullptr && step->phase == LiveStep::Phase::running) {
        finish_step(run, "its tasks are gone and left no exit status", effects);
    }
}

std::vector<AttemptReport> Attempts::live() const {
    std::vector<AttemptReport> reports;
    for (const auto& [key, attempt] : live_) {
        const RememberedAttempt& remembered = memory_.attempts().at(key);
        AttemptReport& report = reports.emplace_back();
        report.job = key.job;
        report.attempt = key.attempt;
        report.batch_exit = remembered.batch_exit;
        report.out_of_memory = remembered.out_of_memory;
        report.checkpointed = attempt.checkpointed;
        for (const auto& [id, step] : attempt.steps) report.live_steps.push_back(id);
    }
    return reports;
}

}  // namespace berth
