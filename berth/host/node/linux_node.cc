#include "berth/host/node/linux_node.h"

#include <unistd.h>

#include <cerrno>

#include "berth/host/node/adopt_attempts.h"
#include "berth/host/node/attempt_places.h"
#include "berth/host/node/attempt_removal.h"
#include "berth/host/node/attempt_signals.h"
#include "berth/host/node/event_queue.h"
#include "berth/host/node/live_runs.h"
#include "berth/host/node/mps_clients.h"
#include "berth/host/node/node_description.h"
#include "berth/host/node/run_starter.h"
#include "berth/host/node/run_watcher.h"
#include "berth/host/node/shared_memory_watch.h"
#include "berth/host/os/file_io.h"

namespace berth {

// Each part refers to those above it.
struct LinuxNode::Parts {
    Parts(LinuxNodeOptions options, LogSink& log)
        : description(std::move(options), log),
          runs(watcher, events, log),
          shared_memory(log),
          places(description, runs, shared_memory, events, log),
          mps(description, places, events, log),
          starter(description, places, runs, mps, events),
          signals(places, runs, watcher, events, log),
          removal(places, runs, mps, shared_memory, log),
          unisolated(description.confinement().not_isolated()) {}

    Status open(LogSink& log);
    void act(HostAction action);
    void take_changes();
    void arm_timer() {
        watcher.arm(runs.is_to_look_again() || places.is_to_look_again() ||
                    signals.is_to_look_again());
    }

    NodeDescription description;
    EventQueue events;
    RunWatcher watcher;
    LiveRuns runs;
    SharedMemoryWatch shared_memory;
    AttemptPlaces places;
    MpsClients mps;
    RunStarter starter;
    AttemptSignals signals;
    AttemptRemoval removal;
    std::vector<std::string> unisolated;
    std::vector<RunKey> alive;
};

Status LinuxNode::Parts::open(LogSink& log) {
    const LinuxNodeOptions& options = description.options();
    if (::access(options.shepherd.c_str(), X_OK) != 0) {
        return system_error("cannot run the shepherd " + options.shepherd, errno);
    }
    BERTH_CHECK(make_folders(options.run_dir));
    if (const auto closed = closed_to_others(options.run_dir); closed && ::geteuid() == 0) {
        unisolated.push_back("jobs of users other than root cannot run: they may not pass " +
                             *closed + " to reach their scripts (chmod o+x)");
    }
    BERTH_CHECK(events.open());
    BERTH_CHECK(mps.open());
    BERTH_CHECK(watcher.open(log, events.fd(), mps.fd()));
    alive = adopt_attempts(description, places, runs, shared_memory);
    mps.report_lost();
    mps.stop_unneeded();
    arm_timer();
    return Done{};
}

void LinuxNode::Parts::act(HostAction action) {
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
        starter.start_attempt(start->launch);
    } else if (const auto* step = std::get_if<StartStep>(&action)) {
        starter.start_step(*step);
    } else if (const auto* hook = std::get_if<StartHook>(&action)) {
        starter.start_hook(*hook);
    } else if (const auto* signal = std::get_if<SignalRun>(&action)) {
        signals.signal(*signal);
    } else if (const auto* gone = std::get_if<RemoveAttempt>(&action)) {
        removal.remove({gone->job, gone->attempt});
    } else if (std::holds_alternative<MeasureRuns>(action)) {
        runs.measure_all();
    } else if (const auto* freeze = std::get_if<FreezeRun>(&action)) {
        signals.freeze(*freeze);
    } else if (const auto* line = std::get_if<NotifyRun>(&action)) {
        runs.notify(*line);
    } else if (const auto* watch = std::get_if<WatchCheckpoint>(&action)) {
        runs.watch_checkpoint(watch->run);
    } else if (const auto* kept = std::get_if<KeepAttempt>(&action)) {
        (void)places.claim({kept->job, kept->attempt});
    } else if (const auto* list = std::get_if<ListAttempts>(&action)) {
        places.on_list(*list);
        removal.remove_orphans();
    } else if (auto* setup = std::get_if<ConfigureNode>(&action)) {
        description.configure(std::move(setup->setup));
    }
    arm_timer();
}

void LinuxNode::Parts::take_changes() {
    using What = RunWatcher::Change::What;
    for (const RunWatcher::Change& change : watcher.take_changes()) {
        switch (change.what) {
            case What::folder: runs.on_folder_changed(change.run); break;
            case What::any_folder: runs.on_any_folder_changed(); break;
            case What::shepherd_ended: runs.on_shepherd_ended(change.run); break;
            case What::event: events.clear_fd(); break;
            case What::mps: mps.on_daemons_ended(); break;
        }
    }
    runs.look_again();
    places.report_empty();
    signals.report_frozen();
    removal.remove_retired();
    removal.remove_orphans();
    arm_timer();
}

LinuxNode::LinuxNode(LinuxNodeOptions options, LogSink& log)
    : parts_(std::make_unique<Parts>(std::move(options), log)) {}
LinuxNode::~LinuxNode() = default;

Result<std::unique_ptr<LinuxNode>> LinuxNode::open(LinuxNodeOptions options, LogSink& log) {
    std::unique_ptr<LinuxNode> node(new LinuxNode(std::move(options), log));
    BERTH_CHECK(node->parts_->open(log));
    return node;
}

const std::vector<RunKey>& LinuxNode::alive() const { return parts_->alive; }
const std::vector<std::string>& LinuxNode::not_isolated() const { return parts_->unisolated; }
int LinuxNode::fd() const { return parts_->watcher.fd(); }
void LinuxNode::act(HostAction action) { parts_->act(std::move(action)); }

bool LinuxNode::has(JobId job, Attempt attempt) const { return parts_->places.has({job, attempt}); }

std::vector<AgentEvent> LinuxNode::take_events() {
    parts_->take_changes();
    return parts_->events.take();
}

}  // namespace berth
