// The site's prolog and epilog of an attempt on this node. The job starts here only after the
// prolog has succeeded, and is over only after the epilog has ended.
#include <algorithm>

#include "berth/agent/attempts.h"
#include "berth/agent/signals.h"

namespace berth {
namespace {

std::string_view name_of(Hook hook) { return hook == Hook::prolog ? "prolog" : "epilog"; }

}  // namespace

std::string hook_failure(const ExitStatus& exit) {
    if (exit.signal != 0) return "was ended by signal " + std::to_string(exit.signal);
    return exit.code == 0 ? "" : "ended with exit code " + std::to_string(exit.code);
}

void Attempts::start_hook(AttemptKey key, Hook hook, Effects& effects) {
    RememberedAttempt remembered = memory_.attempts().at(key);
    remembered.hook = hook;
    memory_.remember(remembered);
    const Duration timeout = remembered.launch.hooks.timeout;
    if (timeout > Duration{}) live_.at(key).kill_hook_at = effects.now + timeout;
    StartHook start{hook_run(key, hook), std::move(remembered.launch)};
    start.launch.payload = {};
    effects.actions.emplace_back(std::move(start));
}

// `failure` is empty if the hook succeeded.
void Attempts::hook_ended(const RunKey& run, const std::string& failure, Effects& effects) {
    const AttemptKey key{run.job, run.attempt};
    LiveAttempt& attempt = live_.at(key);
    RememberedAttempt remembered = memory_.attempts().at(key);
    const Hook hook = remembered.hook;
    if (hook == Hook::none || run != hook_run(key, hook)) return;  // Reported before.
    attempt.hook_due = false;
    attempt.kill_hook_at.reset();
    remembered.hook = Hook::none;
    if (!failure.empty() && remembered.failed_hook == Hook::none) {
        remembered.failed_hook = hook;
        remembered.hook_failure = std::string(name_of(hook)) + " " + failure;
    }
    if (hook == Hook::prolog && !failure.empty() && remembered.failure.empty()) {
        remembered.failure = "the prolog " + failure;
    }
    memory_.remember(remembered);
    if (hook == Hook::epilog) return conclude(key, effects);
    if (rebooted_) return;  // It ended before the reboot: nothing starts after it.
    if (!failure.empty() || remembered.ending) return finish(key, effects);
    effects.actions.emplace_back(StartAttempt{remembered.launch});
}

// The prolog could not even be started: the site's program has not failed, and there is nothing for
// an epilog to clean up.
void Attempts::prolog_not_begun(const RunFailedToStart& event, Effects& effects) {
    const AttemptKey key{event.run.job, event.run.attempt};
    RememberedAttempt remembered = memory_.attempts().at(key);
    if (remembered.hook != Hook::prolog) return;
    remembered.hook = Hook::none;
    memory_.remember(remembered);
    live_.at(key).hook_due = false;
    live_.at(key).kill_hook_at.reset();
    fail(key, "the prolog " + event.why, event.not_begun);
    finish_steps(key, effects);
    conclude(key, effects);
}

// A hook that is not alive and has left no exit record by the end of the first turn is started
// again.
void Attempts::adopt_hook(const RememberedAttempt& attempt, std::span<const RunKey> alive) {
    const AttemptKey key{attempt.launch.job, attempt.launch.attempt};
    LiveAttempt& live = live_.at(key);
    live.starting = attempt.hook == Hook::prolog;
    const RunKey run = hook_run(key, attempt.hook);
    live.hook_due = std::ranges::find(alive, run) == alive.end();
}

}  // namespace berth
