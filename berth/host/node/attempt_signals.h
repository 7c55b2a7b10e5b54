// AttemptSignals: signals to the processes of attempts and runs, up to the one that ends them.
#pragma once

#include <map>
#include <vector>

#include "berth/host/node/attempt_places.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/run_watcher.h"

namespace berth {

class AttemptSignals {
public:
    AttemptSignals(AttemptPlaces& places, LiveRuns& runs, RunWatcher& watcher, EventQueue& events,
                   LogSink& log)
        : places_(places), runs_(runs), watcher_(watcher), events_(events), log_(log) {}

    void signal(const SignalRun& order);
    void freeze(const FreezeRun& order);
    // Reports the attempts that are frozen by now, if that is due.
    void report_frozen();
    bool is_to_look_again() const { return !freezing_.empty(); }

private:
    bool is_frozen(const AttemptKey& attempt, const AttemptPlace& place) const;
    std::vector<int> processes_of(const AttemptKey& attempt, const AttemptPlace& place) const;
    void signal_attempt(const AttemptKey& attempt, AttemptPlace& place, int signal);
    void log_kill(const AttemptKey& attempt, const AttemptPlace& place) const;

    AttemptPlaces& places_;
    LiveRuns& runs_;
    RunWatcher& watcher_;
    EventQueue& events_;
    LogSink& log_;
    std::map<AttemptKey, FreezeRun> freezing_;  // Ordered, and not done yet.
};

}  // namespace berth
