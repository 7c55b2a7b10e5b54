// Turn: what one turn of the controller comes to: a record, and all that may leave once that record
// is durable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/log.h"
#include "berth/control/turn/command.h"
#include "berth/control/turn/input.h"
#include "berth/model/event.h"
#include "berth/model/notice.h"
#include "berth/model/order.h"
#include "berth/model/report.h"

namespace berth {

// A node is to be switched off, so that it is certain that nothing runs on it.
struct FenceCall {
    std::string node, hostname, address, boot_id;
    std::string program;
    Duration timeout{};
};

// The site's programs around a run, one after the other until one fails. None: there is nothing to
// do, and it ends well.
struct HookCall {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::vector<std::string> programs, environment;
    Duration timeout{};  // Of each; 0: as long as it takes.
};

struct OutgoingOrder {
    Link link;
    NodeId node{0};
    Order order;  // LaunchAttempt::payload is filled in by whoever sends it, from the store.
};
struct OutgoingAnswer {
    ReplyTo reply_to;
    Answer answer;
};

// What a turn of the loop changed, for those who read: squeue, the page, metrics.
struct Changes {
    Time now{};
    std::uint64_t sequence = 0;  // Of the last durable record that this includes.
    std::vector<JobId>
        jobs;  // Changed or new, each once, in id order. Their rows are to be made again.
    std::vector<JobId> gone;  // Left the state; accounting has them.
    std::vector<NodeId> nodes;
    bool spec = false;               // The configuration changed: make everything again.
    std::vector<std::size_t> usage;  // Records of usage, by their number.
    bool reservations = false;
    // What was measured of what runs on a node. For readers alone: it is not recorded.
    std::vector<std::pair<NodeId, std::vector<StepUsage>>> samples = {};
};

struct LogLine {
    LogLevel level = LogLevel::info;
    std::string text;
};

// What one turn came to. Nothing of it may leave before `record` is durable.
struct Turn {
    Record record;  // Empty facts: nothing to write.
    std::vector<OutgoingOrder> orders;
    std::vector<OutgoingAnswer> answers;
    std::vector<FenceCall> fences;
    std::vector<HookCall> hooks;
    std::vector<Notice> notices;
    std::vector<Link> closed;  // Links to be cut: superseded, or not one of our nodes.
    Changes changes;
    std::optional<Time> wake_at;  // When to turn again, if nothing comes first.
    std::vector<LogLine> log;
};

}  // namespace berth
