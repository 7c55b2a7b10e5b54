// EventQueue: what the node has to tell the agent, in order, with a descriptor to poll.
#pragma once

#include <deque>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/result.h"
#include "berth/host/os/unique_fd.h"

namespace berth {

class EventQueue {
public:
    Status open();

    void tell(AgentEvent event);
    std::vector<AgentEvent> take();

    int fd() const { return pending_.get(); }  // Readable after tell(), until cleared.
    void clear_fd() const;

private:
    std::deque<AgentEvent> events_;
    UniqueFd pending_;
};

}  // namespace berth
