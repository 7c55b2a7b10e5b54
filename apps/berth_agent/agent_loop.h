// AgentLoop: what came → turn → remember → act → report. The order is the agent's promise: what
// must outlive a crash is on disk before anything follows from it.
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
    int node_events;  // A descriptor, readable when take_events has something.
    std::function<std::vector<AgentEvent>()> take_events;
    std::function<Status()> lost = nullptr;    // Why it cannot go on, if so; none: it always can.
    std::unique_ptr<GpuMeter> gpus = nullptr;  // nullptr: they are not watched.
    std::string name = {};                     // Of the node, for the site's programs.
    bool runs_programs = false;                // `node` runs these too.
};

class AgentLoop {
public:
    AgentLoop(Agent agent, AgentPorts ports, LogSink& log);
    ~AgentLoop();

    // Connects, and runs until stop(). An error means that the disk has failed, or the node is
    // lost: the process must end at once.
    Status run(AgentClientSettings link);
    void stop();  // From any thread.

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace berth
