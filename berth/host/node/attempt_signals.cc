#include "berth/host/node/attempt_signals.h"

#include <signal.h>

#include "berth/agent/signals.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"

namespace berth {
namespace {

constexpr std::size_t kNamesShown = 5;

}  // namespace

void AttemptSignals::signal(const SignalRun& order) {
    const AttemptKey attempt = attempt_of(order.run);
    AttemptPlace* const place = places_.claim(attempt);
    if (!order.whole) return runs_.signal_main(order.run, order.signal);
    if (place == nullptr) return events_.tell(RunEmpty{order.run});
    watcher_.look_soon();
    if (order.run.step == kExternStep) return signal_attempt(attempt, *place, order.signal);
    if (!runs_.contains(order.run)) return events_.tell(RunEmpty{order.run});
    runs_.end(order.run, order.signal);
}

void AttemptSignals::signal_attempt(const AttemptKey& attempt, AttemptPlace& place, int signal) {
    place.empty_due = true;
    if (signal == SIGKILL) {
        log_kill(attempt, place);
    } else if (signal != SIGCONT && !place.told_to_end) {
        place.told_to_end = AttemptPlace::Clock::now();
    }
    // Under v1 a frozen process does not die, and the agent may have lost the record of the freeze.
    if (signal == SIGKILL) CgroupTree::freeze(place.group, false);
    runs_.signal_all(attempt, signal);
}

// Which processes delayed the end of a job.
void AttemptSignals::log_kill(const AttemptKey& attempt, const AttemptPlace& place) const {
    if (!place.told_to_end) return;
    std::vector<int> left = CgroupTree::processes(place.group);
    const std::vector<int> ungrouped = runs_.ungrouped_processes(attempt);
    left.insert(left.end(), ungrouped.begin(), ungrouped.end());
    if (left.empty()) return;
    std::vector<std::string> names;
    for (const int pid : left) {
        if (names.size() == kNamesShown) break;
        const auto name = read_file("/proc/" + std::to_string(pid) + "/comm");
        names.push_back(std::to_string(pid) +
                        (name.ok() ? " " + std::string(trim(*name)) : std::string()));
    }
    const auto waited = std::chrono::duration_cast<std::chrono::seconds>(
        AttemptPlace::Clock::now() - *place.told_to_end);
    log_.write(LogLevel::warning, "host",
               "job " + to_string(attempt.job) + ": killing " + std::to_string(left.size()) +
                   (left.size() == 1 ? " process that is" : " processes that are") +
                   " still there " + std::to_string(waited.count()) +
                   " s after the signal to end: " + join(names, ", ") +
                   (names.size() < left.size() ? ", ..." : ""));
}

// Without a freezer, the present processes are stopped one by one.
void AttemptSignals::freeze(const FreezeRun& order) {
    const AttemptKey attempt = attempt_of(order.run);
    const AttemptPlace* const place = places_.claim(attempt);
    if (place == nullptr || CgroupTree::freeze(place->group, order.frozen)) return;
    runs_.signal_all(attempt, order.frozen ? SIGSTOP : SIGCONT);
}

}  // namespace berth
