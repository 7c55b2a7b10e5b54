// AgentLoop: events → turn → disk → actions → reports. This order is the agent's guarantee: what
// must survive a crash is on disk before anything follows from it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "berth/agent/agent.h"
#include "berth/base/log.h"
#include "berth/host/hardware/gpu_meter.h"
#include "berth/wire/agent_client.h"

namespace berth {

struct AgentPorts {
    Disk& disk;
    Node& node;
    int node_events;  // A descriptor; readable when take_events() has something.
    std::function<std::vector<AgentEvent>()> take_events;
    // Returns an error once the agent cannot go on. Null: it always can.
    std::function<Status()> lost = nullptr;
    std::unique_ptr<GpuMeter> gpus = nullptr;  // Null: GPUs are not watched.
    std::string name = {};                     // Name of the node, for the site's programs.
    bool runs_programs = false;                // `node` also runs health checks and reboots.
};

class AgentLoop {
public:
    AgentLoop(Agent agent, AgentPorts ports, LogSink& log);
    ~AgentLoop();

    // Connects and runs until stop(). After an error (the disk failed, or the node is lost) the
    // process must end at once.
    Status run(AgentClientSettings link);
    void stop();  // May be called from any thread.

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
