// RunsOnNodes: what the agents have confirmed of the attempts and steps on each node, and which
// orders about them are under way. Not recorded: a new controller learns it again from the agents'
// registrations.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "berth/control/agents/per_node.h"
#include "berth/control/agents/sync_queue.h"
#include "berth/control/orders/delivery.h"
#include "berth/control/orders/reconcile.h"
#include "berth/model/job.h"
#include "berth/model/order.h"

namespace berth {

// Where the srun of a step listens, and the token that a connection to it must present.
struct SrunPlace {
    std::string address, token;
};

// The part of a step that runs on one node, until it ends there.
struct StepProgress {
    // The part of the launch that all nodes share; dropped once the step runs here. Not recorded:
    // after a controller restart, a step that does not yet run here can no longer be launched.
    std::shared_ptr<const LaunchStep> launch;
    bool started = false;
    bool waits = false;   // Its run stands still: it is launched when that goes on.
    bool ending = false;  // Cancelled by scancel or by its srun, or out of time.
    EndReason reason = EndReason::cancelled;
    SrunPlace srun;  // For sattach.
    Delivery delivery;
};

// One attempt on one node, as confirmed by its agent.
struct RunProgress {
    enum class Need : std::uint8_t { nothing, launch, end };

    Attempt attempt{0};
    bool started = false;
    bool gone = false;          // See Reconciled::gone.
    bool at_once = false;       // End it with SIGKILL.
    Need need = Need::nothing;  // The order that `delivery` repeats.
    Delivery delivery;
    std::map<StepId, StepProgress> steps;
    // Number of the last suspend or resume that is carried out here, and of the one that is ordered
    // (0: none).
    std::uint32_t frozen = 0;
    std::uint32_t freezing = 0;
    std::uint32_t proved = 0;  // Of the last one that the node itself has answered.
    bool warned = false;       // To save a checkpoint, in this session of the node.
    Delivery freeze_delivery;
};

struct NodeRuns {
    std::map<JobId, RunProgress> runs;
    // Attempts that are alive on the node but not in the state. They are being ended; until they
    // are gone, nothing is launched here.
    std::map<AttemptId, Delivery> orphans;

    // The progress of the attempt that currently holds resources on the node.
    RunProgress& run(AttemptId attempt);
};

class RunsOnNodes {
public:
    explicit RunsOnNodes(SyncQueue& queue) : queue_(queue) {}

    NodeRuns& of(NodeId node) { return nodes_[node]; }
    const NodeRuns& of(NodeId node) const { return nodes_[node]; }

    // The node has registered: orders without effect are due again, and the registration says what
    // is an orphan. After a reboot nothing that was confirmed holds any more.
    void on_registered(NodeId node, bool same_boot);

    // ---- Requests of commands.
    // The job's processes get SIGKILL without a SIGTERM first, once the state says that the job
    // ends.
    void end_at_once(const Job& job);
    void start_step(const Job& job, const Step& step, LaunchStep common);
    void end_step(const Job& job, const Step& step, EndReason reason);
    // nullopt: the step was created under an earlier controller, which alone knew the address.
    std::optional<SrunPlace> srun_of(const Job& job, const Step& step) const;

private:
    SyncQueue& queue_;
    PerNode<NodeRuns> nodes_;
};

}  // namespace berth
