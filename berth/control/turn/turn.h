// Turn: the result of one turn of the controller: a record, and everything that may leave once that
// record is durable.
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

// Runs the fence program: the node must be switched off, so that nothing runs on it for certain.
struct FenceCall {
    std::string node, hostname, address, boot_id;
    std::string program;
    Duration timeout{};
};

// Runs the site's programs before or after a run, in order, until one fails. With no programs the
// call succeeds at once.
struct HookCall {
    JobId job{0};
    Attempt attempt{0};
    ControllerHook hook = ControllerHook::none;
    std::vector<std::string> programs, environment;
    Duration timeout{};  // Of each program; 0: unlimited.
};

struct OutgoingOrder {
    Link link;
    NodeId node{0};
    // LaunchAttempt::payload is filled in from the store when the order is sent.
    Order order;
};
struct OutgoingAnswer {
    ReplyTo reply_to;
    Answer answer;
};

// What a turn changed, for readers: squeue, the web page, metrics.
struct Changes {
    Time now{};
    std::uint64_t sequence = 0;  // Of the last durable record included.
    // Changed or new jobs, each once, in id order. Their rows are rebuilt.
    std::vector<JobId> jobs;
    std::vector<JobId> gone;  // Removed from the state; accounting has them.
    std::vector<NodeId> nodes;
    bool spec = false;               // The configuration changed.
    std::vector<std::size_t> usage;  // Indexes of changed usage records.
    bool reservations = false;
    // Measured usage of what runs on nodes. For readers only; not recorded.
    std::vector<std::pair<NodeId, std::vector<StepUsage>>> samples = {};
    bool all = false;  // Rebuild everything, whatever is named here.
};

struct LogLine {
    LogLevel level = LogLevel::info;
    std::string text;
};

// Nothing of a turn may leave before `record` is durable.
struct Turn {
    Record record;  // No facts: nothing to write.
    std::vector<OutgoingOrder> orders;
    std::vector<OutgoingAnswer> answers;
    std::vector<FenceCall> fences;
    std::vector<HookCall> hooks;
    std::vector<Notice> notices;
    // Links to cut: superseded, or not from one of our nodes.
    std::vector<Link> closed;
    Changes changes;
    std::optional<Time> wake_at;  // When to run the next turn if no input comes before.
    std::vector<LogLine> log;
};

}  // namespace berth
