#include "berth/host/node/linux_node.h"

#include "berth/host/node/linux_node_parts.h"

namespace berth {

LinuxNode::LinuxNode(std::unique_ptr<LinuxNodeParts> parts) : parts_(std::move(parts)) {}
LinuxNode::~LinuxNode() = default;

Result<std::unique_ptr<LinuxNode>> LinuxNode::open(LinuxNodeOptions options, LogSink& log) {
    auto parts = std::make_unique<LinuxNodeParts>(std::move(options), log);
    BERTH_CHECK(parts->open());
    return std::unique_ptr<LinuxNode>(new LinuxNode(std::move(parts)));
}

const std::vector<RunKey>& LinuxNode::alive() const { return parts_->alive; }
const std::vector<std::string>& LinuxNode::not_isolated() const { return parts_->unisolated; }
int LinuxNode::fd() const { return parts_->epoll.get(); }

void LinuxNode::act(HostAction action) {
    LinuxNodeParts& parts = *parts_;
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
        parts.start_attempt(start->launch);
    } else if (const auto* step = std::get_if<StartStep>(&action)) {
        parts.start_step(*step);
    } else if (const auto* hook = std::get_if<StartHook>(&action)) {
        parts.start_hook(*hook);
    } else if (const auto* signal = std::get_if<SignalRun>(&action)) {
        parts.signal_run(*signal);
    } else if (const auto* gone = std::get_if<RemoveAttempt>(&action)) {
        parts.remove_attempt({gone->job, gone->attempt});
    } else if (std::holds_alternative<MeasureRuns>(action)) {
        parts.measure_all();
    } else if (const auto* freeze = std::get_if<FreezeRun>(&action)) {
        parts.freeze_run(*freeze);
    } else if (const auto* line = std::get_if<NotifyRun>(&action)) {
        parts.notify_run(*line);
    } else if (const auto* kept = std::get_if<KeepAttempt>(&action)) {
        (void)parts.claim({kept->job, kept->attempt});
    } else if (const auto* list = std::get_if<ListAttempts>(&action)) {
        parts.list(*list);
    } else if (auto* setup = std::get_if<ConfigureNode>(&action)) {
        parts.configure(std::move(setup->setup));
    }
    parts.arm_timer();
}

bool LinuxNode::has(JobId job, Attempt attempt) const { return parts_->has({job, attempt}); }

std::vector<AgentEvent> LinuxNode::take_events() {
    parts_->serve();
    std::vector<AgentEvent> taken(std::make_move_iterator(parts_->events.begin()),
                                  std::make_move_iterator(parts_->events.end()));
    parts_->events.clear();
    return taken;
}

}  // namespace berth
