// NodeDescription: what this node is and how it confines jobs: its options, with the node as the
// controller last described it, and what follows from them for a run.
#pragma once

#include <string>
#include <vector>

#include "berth/base/log.h"
#include "berth/host/node/confinement.h"
#include "berth/host/node/linux_node_options.h"
#include "berth/host/os/user.h"
#include "berth/host/run/job_environment.h"
#include "berth/model/order.h"

namespace berth {

class NodeDescription {
public:
    NodeDescription(LinuxNodeOptions options, LogSink& log);
    NodeDescription(const NodeDescription&) = delete;  // The confinement refers to the options.
    NodeDescription& operator=(const NodeDescription&) = delete;

    const LinuxNodeOptions& options() const { return options_; }
    const Confinement& confinement() const { return confinement_; }

    // The controller describes the node anew. Live runs keep what they were given.
    void configure(NodeSetup setup);

    NodeView view_for(const ConfinementSpec& wanted) const;
    // Of a job that this agent can run.
    static Result<UserRecord> user_of(const Owner& owner);
    std::string folder_of(JobId job, Attempt attempt) const;

private:
    void find_mig_instances(NodeSpec& node) const;  // Sets their names, which CUDA uses.

    LinuxNodeOptions options_;
    LogSink& log_;
    Confinement confinement_;
    std::string hostname_;
};

}  // namespace berth
