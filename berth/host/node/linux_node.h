// LinuxNode: the agent's Node made real. It confines each attempt, starts its runs under shepherds
// that outlive the agent, and tells what became of them.
//
// One thread: whoever owns it polls fd() and then takes the events.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/host/node/linux_node_options.h"

namespace berth {

struct LinuxNodeParts;

class LinuxNode : public Node {
public:
    // Finds the runs that an agent before this one has left. Their exit records are the first
    // events.
    static Result<std::unique_ptr<LinuxNode>> open(LinuxNodeOptions options, LogSink& log);
    ~LinuxNode() override;

    // The runs that had processes when it was opened: for Agent's constructor.
    const std::vector<RunKey>& alive() const;

    // What this machine, or who we are, does not let us confine; a sentence each. Empty: all is.
    const std::vector<std::string>& not_isolated() const;

    void act(HostAction action) override;

    // Whether anything of this attempt is here. One that was removed is, for as long as its
    // processes live.
    bool has(JobId job, Attempt attempt) const;

    // Readable when take_events() may have something.
    int fd() const;
    std::vector<AgentEvent> take_events();  // Never blocks.

private:
    explicit LinuxNode(std::unique_ptr<LinuxNodeParts> parts);
    std::unique_ptr<LinuxNodeParts> parts_;
};

}  // namespace berth
