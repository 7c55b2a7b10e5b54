// Orders to a run that goes on: freeze, thaw, notify.
#include "berth/agent/attempts.h"
#include "berth/agent/signals.h"

namespace berth {

namespace {

constexpr std::size_t kNoticesMax = 64;

}  // namespace

// The controller repeats the order for an attempt that is unknown here or has not started. An
// attempt that ends has been thawed already.
void Attempts::freeze(const FreezeAttempt& order, Effects& effects) {
    const AttemptKey key{order.job, order.attempt};
    const LiveAttempt* const attempt = find(key);
    if (attempt == nullptr || attempt->starting) return;
    RememberedAttempt remembered = memory_.attempts().at(key);
    if (remembered.ending || order.change < remembered.freeze_change) return;
    if (remembered.frozen != order.frozen || remembered.freeze_change != order.change) {
        remembered.frozen = order.frozen;
        remembered.freeze_change = order.change;
        memory_.remember(remembered);
    }
    effects.actions.emplace_back(FreezeRun{extern_run(key), order.frozen, order.change});
    if (!order.frozen) start_waiting_steps(key, effects);
}

// The report is proof: others may get the cores of a frozen run. What answers an earlier order
// proves nothing; nor does any answer while a step is starting, which may not be frozen with it.
void Attempts::frozen(const RunFrozen& event, Effects& effects) {
    const AttemptKey key{event.run.job, event.run.attempt};
    if (find(key) == nullptr) return;
    RememberedAttempt remembered = memory_.attempts().at(key);
    const bool is_last =
        event.frozen == remembered.frozen && event.change == remembered.freeze_change;
    if (remembered.ending || !is_last) return;
    if (event.frozen && live_.at(key).any_step_starting()) return;
    if (remembered.freeze_done != event.change) {
        remembered.freeze_done = event.change;
        memory_.remember(remembered);
    }
    effects.reports.emplace_back(AttemptFrozen{key.job, key.attempt, event.change, true});
}

// A step that was starting is there now, or will not be: the node is asked once more.
void Attempts::freeze_again(AttemptKey key, Effects& effects) const {
    const RememberedAttempt& remembered = memory_.attempts().at(key);
    if (!remembered.frozen || remembered.ending || live_.at(key).any_step_starting()) return;
    effects.actions.emplace_back(FreezeRun{extern_run(key), true, remembered.freeze_change});
}

void Attempts::notify(const NotifyAttempt& order, Effects& effects) {
    const AttemptKey key{order.job, order.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    if (!attempt->starting) return tell_user(key, {.text = order.text}, effects);
    if (attempt->notices.size() < kNoticesMax) attempt->notices.push_back({.text = order.text});
}

void Attempts::tell_user(AttemptKey key, NotifyRun line, Effects& effects) const {
    const auto tell = [&](StepId step) {
        line.run = {key.job, key.attempt, step};
        effects.actions.emplace_back(line);
    };
    if (memory_.attempts().at(key).launch.batch_host) return tell(kBatchStep);
    for (const auto& [id, step] : live_.at(key).steps) {
        if (step.phase == LiveStep::Phase::running) tell(id);
    }
}

}  // namespace berth
