// A new agent process compares what it remembers with what is alive: it adopts, resumes, or ends
// attempts as lost.
#include <algorithm>

#include "berth/agent/attempts.h"
#include "berth/agent/signals.h"

namespace berth {

void Attempts::adopt(std::span<const RunKey> alive, bool rebooted) {
    rebooted_ = rebooted;
    // Processes of an unknown attempt: they are ended, without a report of their result.
    for (const RunKey& run : alive) {
        const AttemptKey key{run.job, run.attempt};
        if (memory_.attempts().contains(key)) continue;
        RememberedAttempt stranger;
        stranger.launch.job = run.job;
        stranger.launch.attempt = run.attempt;
        stranger.started = true;
        stranger.failure = "found running on the node, which did not remember it";
        stranger.unknown_share = true;
        memory_.leave_tombstone(key);
        memory_.remember(stranger);
    }
    const std::map<AttemptKey, RememberedAttempt> remembered = memory_.attempts();
    for (const auto& [key, attempt] : remembered) adopt_one(attempt, alive);
}

void Attempts::adopt_one(const RememberedAttempt& attempt, std::span<const RunKey> alive) {
    const AttemptKey key{attempt.launch.job, attempt.launch.attempt};
    const auto is_alive = [&](StepId step) {
        return std::ranges::find(alive, RunKey{key.job, key.attempt, step}) != alive.end();
    };
    LiveAttempt& live = live_[key];
    for (const auto& [run, step] : memory_.steps()) {
        if (AttemptKey{run.job, run.attempt} == key && !step.ended) live.steps[run.step];
    }
    if (rebooted_) return;
    if (attempt.hook == Hook::prolog) {
        for (auto& [id, step] : live.steps) {
            step.launch = memory_.steps().at({key.job, key.attempt, id}).launch;
            if (step.launch) step.phase = LiveStep::Phase::waiting;
        }
    }
    if (attempt.hook != Hook::none) return adopt_hook(attempt, alive);
    const bool any = std::ranges::any_of(
        alive, [&](const RunKey& run) { return AttemptKey{run.job, run.attempt} == key; });
    if (any && !attempt.started) {
        RememberedAttempt started = attempt;
        started.started = true;
        started.launch.payload = {};
        memory_.remember(started);
    }
    live.to_start = !attempt.started && !attempt.ending && !any && !attempt.unknown_share;
    live.exit_due = attempt.launch.batch_host && !attempt.unknown_share && !attempt.batch_exit &&
                    !is_alive(kBatchStep) && !live.to_start;
    live.keep_due =
        attempt.started && !any && !attempt.ending && !attempt.unknown_share && !live.exit_due;
    for (auto& [id, step] : live.steps) {
        step.launch.reset();
        step.phase = is_alive(id) ? LiveStep::Phase::running : LiveStep::Phase::waiting;
    }
}

void Attempts::settle(Effects& effects) {
    // The previous process may have died after it recorded an end and before it removed the
    // attempt.
    for (const auto& [key, end] : memory_.ends()) {
        effects.actions.emplace_back(RemoveAttempt{key.job, key.attempt});
    }
    // An acknowledged end is forgotten here, but its removal may have been lost with the launcher.
    std::vector<AttemptKey> keys;
    ListAttempts list;
    for (const auto& [key, attempt] : live_) {
        keys.push_back(key);
        list.known.push_back(extern_run(key));
    }
    effects.actions.emplace_back(std::move(list));
    for (const AttemptKey key : keys) {
        if (rebooted_) {
            if (!memory_.attempts().at(key).batch_exit) {
                fail(key, "lost: the node was started again while it ran");
            }
            finish(key, effects);
        } else {
            settle_one(key, effects);
        }
    }
    rebooted_ = false;
}

void Attempts::settle_one(AttemptKey key, Effects& effects) {
    LiveAttempt& attempt = live_.at(key);
    const RememberedAttempt remembered = memory_.attempts().at(key);
    if (std::exchange(attempt.hook_due, false)) return start_hook(key, remembered.hook, effects);
    if (remembered.hook != Hook::none) return;
    if (remembered.unknown_share) return begin_end(key, Duration{}, kKill, effects);
    if (std::exchange(attempt.exit_due, false)) {
        fail(key, "lost: its script is gone and left no exit record");
        return begin_end(key, Duration{}, kKill, effects);
    }
    if (std::exchange(attempt.to_start, false)) {
        attempt.starting = true;
        effects.actions.emplace_back(StartAttempt{remembered.launch});
    }
    if (std::exchange(attempt.keep_due, false)) {
        effects.actions.emplace_back(KeepAttempt{key.job, key.attempt});
    }
    if (remembered.frozen && !remembered.ending) {  // The order may not have reached the node.
        effects.actions.emplace_back(FreezeRun{extern_run(key), true, remembered.freeze_change});
    }
    settle_steps(key, effects);
    if (remembered.ending && !attempt.kill_at) {
        begin_end(key, remembered.launch.kill_wait, kTerm, effects);
    }
}

// A step that is not alive and has no exit record may never have reached the node, because the
// launcher died. The node does not start a step twice.
void Attempts::settle_steps(AttemptKey key, Effects& effects) {
    const std::map<StepId, LiveStep> steps = live_.at(key).steps;
    const bool ending = memory_.attempts().at(key).ending;
    for (const auto& [id, step] : steps) {
        const RunKey run{key.job, key.attempt, id};
        const std::optional<LaunchStep> launch = memory_.steps().at(run).launch;
        if (step.phase == LiveStep::Phase::waiting && launch && !ending) {
            if (live_.at(key).starting || memory_.attempts().at(key).frozen) {
                live_.at(key).steps.at(id).launch = launch;
            } else {
                start_step(key, *launch, effects);
            }
        } else if (step.phase == LiveStep::Phase::waiting) {
            finish_step(run, "lost: its tasks are gone and left no exit record", effects);
        } else if (memory_.steps().at(run).ending && !step.kill_at) {
            begin_step_end(run, memory_.attempts().at(key).launch.kill_wait, effects);
        }
    }
}

}  // namespace berth
