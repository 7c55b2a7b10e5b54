#include "berth/host/node/attempt_signals.h"

#include <signal.h>

#include <algorithm>

#include "berth/agent/signals.h"
#include "berth/base/text.h"
#include "berth/host/os/file_io.h"
#include "berth/host/os/process.h"

namespace berth {
namespace {

constexpr std::size_t kNamesShown = 5;

}  // namespace

void AttemptSignals::signal(const SignalRun& order) {
    const AttemptKey attempt = attempt_of(order.run);
    AttemptPlace* const place = places_.claim(attempt);
    // What SIGSTOP has frozen goes on when it is thawed, and not before. 0 signals nothing.
    const bool waits = place != nullptr && place->stopped && order.signal == SIGCONT;
    const int signal = waits ? 0 : order.signal;
    if (!order.whole) return runs_.signal_main(order.run, signal);
    if (place == nullptr) return events_.tell(RunEmpty{order.run});
    watcher_.look_soon();
    if (order.run.step == kExternStep) return signal_attempt(attempt, *place, signal);
    if (!runs_.contains(order.run)) return events_.tell(RunEmpty{order.run});
    runs_.end(order.run, signal);
}

void AttemptSignals::signal_attempt(const AttemptKey& attempt, AttemptPlace& place, int signal) {
    place.empty_due = true;
    if (signal == SIGKILL) {
        log_kill(attempt, place);
    } else if (signal != 0 && signal != SIGCONT && !place.told_to_end) {
        place.told_to_end = AttemptPlace::Clock::now();
    }
    runs_.signal_all(attempt, signal);
    // Under v1 a frozen process does not die, and the agent may have lost the record of the freeze.
    // Thawed after the signal, it runs none of its own code.
    if (signal == SIGKILL) CgroupTree::freeze(place.group, false);
}

std::vector<int> AttemptSignals::processes_of(const AttemptKey& attempt,
                                              const AttemptPlace& place) const {
    std::vector<int> all = CgroupTree::processes(place.group);
    const std::vector<int> ungrouped = runs_.ungrouped_processes(attempt);
    all.insert(all.end(), ungrouped.begin(), ungrouped.end());
    return all;
}

// Which processes delayed the end of a job.
void AttemptSignals::log_kill(const AttemptKey& attempt, const AttemptPlace& place) const {
    if (!place.told_to_end) return;
    const std::vector<int> left = processes_of(attempt, place);
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
    AttemptPlace* const place = places_.claim(attempt);
    freezing_.erase(attempt);
    if (place == nullptr) return;
    const bool has_freezer = CgroupTree::freeze(place->group, order.frozen);
    place->stopped = !has_freezer && order.frozen;
    if (!has_freezer) runs_.signal_all(attempt, order.frozen ? SIGSTOP : SIGCONT);
    if (!order.frozen) return events_.tell(RunFrozen{order.run, false, order.change});
    freezing_[attempt] = order;
    watcher_.look_soon();
    report_frozen();
}

// A process within the kernel, in wait of a disk for instance, is frozen when it leaves it.
bool AttemptSignals::is_frozen(const AttemptKey& attempt, const AttemptPlace& place) const {
    if (!place.stopped) return CgroupTree::frozen(place.group);
    const bool still = std::ranges::all_of(processes_of(attempt, place), is_stopped);
    if (!still) runs_.signal_all(attempt, SIGSTOP);  // One may have been started meanwhile.
    return still;
}

void AttemptSignals::report_frozen() {
    std::erase_if(freezing_, [&](const auto& one) {
        const AttemptPlace* const place = places_.find(one.first);
        if (place == nullptr) return true;
        if (!is_frozen(one.first, *place)) return false;
        events_.tell(RunFrozen{one.second.run, true, one.second.change});
        return true;
    });
}

}  // namespace berth
