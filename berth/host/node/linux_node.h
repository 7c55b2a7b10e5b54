// LinuxNode: the real implementation of the agent's Node. It confines each attempt, starts its runs
// under shepherds that outlive the agent, and reports what becomes of them.
//
// Single-threaded: the owner polls fd() and then calls take_events().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/host/node/linux_node_options.h"

namespace berth {

class LinuxNode : public Node {
public:
    // Finds the runs that an earlier agent process has left. Their exit records are the first
    // events.
    static Result<std::unique_ptr<LinuxNode>> open(LinuxNodeOptions options, LogSink& log);
    ~LinuxNode() override;

    // The runs that had processes at open(): for Agent's constructor.
    const std::vector<RunKey>& alive() const;

    // What this machine or our own privileges do not allow us to confine, one sentence each. Empty:
    // everything is confined.
    const std::vector<std::string>& not_isolated() const;

    void act(HostAction action) override;

    // Whether anything of this attempt is here. This includes a removed attempt while its processes
    // live.
    bool has(JobId job, Attempt attempt) const;

    // Readable when take_events() may have something.
    int fd() const;
    std::vector<AgentEvent> take_events();  // Does not block.

private:
    struct Parts;
    LinuxNode(LinuxNodeOptions options, LogSink& log);
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
