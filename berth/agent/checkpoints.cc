// A run that must save a checkpoint before it is preempted: the warning, and word of the
// checkpoint.
#include "berth/agent/attempts.h"
#include "berth/agent/signals.h"

namespace berth {

// Returns whether the signals that warn the run are to be sent: once by each agent process. A new
// one cannot know whether those of the last one have left, and the controller tells it again.
bool Attempts::begin_watch(AttemptKey key, Effects& effects) {
    const RememberedAttempt& remembered = memory_.attempts().at(key);
    if (remembered.ending || std::exchange(live_.at(key).warned, true)) return false;
    // Before the signals, so that all that they bring about is newer.
    if (remembered.launch.batch_host) {
        effects.actions.emplace_back(WatchCheckpoint{{key.job, key.attempt, kBatchStep}});
    }
    return true;
}

// Kept for the inventory, and for the report of the end: this one may be lost with the link.
void Attempts::checkpoint_found(const CheckpointFound& event, Effects& effects) {
    const AttemptKey key{event.run.job, event.run.attempt};
    LiveAttempt* const attempt = find(key);
    if (attempt == nullptr) return;
    attempt->checkpointed = true;
    if (memory_.attempts().at(key).ending) return;
    effects.reports.emplace_back(AttemptCheckpointed{key.job, key.attempt});
}

}  // namespace berth
