// Unprotected: stands between a world's controller and the rest of the world, and rewrites what the
// controller takes in and gives out, so that it acts as if it lacked some of its protections. So
// mutants prove that the oracle notices their absence, and the controller has no switch for it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "berth/control/turn/turn.h"
#include "berth/engine/state/cluster_state.h"

namespace berth::sim {

// The controller's protections that a world can take away.
struct ControlProtections {
    // A submission that is repeated with the same request id is the same job.
    bool request_ids = true;
    // A node that registers under another boot id has lost what ran there.
    bool boot_ids = true;
    // Reports about an attempt other than the current one are ignored.
    bool attempts = true;
    // Nothing is decided about a node before its whole inventory has arrived.
    bool atomic_inventory = true;
    // A GPU is free once the agent says that the attempt's cgroup is empty.
    bool wait_for_clean = true;
    // Others use the cores of a run once its nodes have proved that it stands still.
    bool wait_for_rest = true;
    // A run that is to save a checkpoint is given its time until its node says that it has.
    bool checkpoints = true;
    bool gangs = true;          // All nodes of a job launch and end together.
    bool output_commit = true;  // Nothing leaves before it is durable; see Loop.
};

class Unprotected {
public:
    explicit Unprotected(const ControlProtections& protections) : protections_(protections) {}

    // What the controller takes in instead. `state`: before its turn.
    std::vector<Input> take(const ClusterState& state, std::vector<Input> inputs);
    // What is sent instead; nullopt: nothing. `state`: after the turn. `forged` gets what the
    // controller hears in addition.
    std::optional<OutgoingOrder> send(const ClusterState& state, OutgoingOrder order,
                                      std::vector<Input>& forged);
    bool holds_output_back() const { return protections_.output_commit; }

private:
    using AttemptOnNode = std::tuple<NodeId, JobId, Attempt>;

    void take_report(const ClusterState& state, AgentInput input, std::vector<Input>& taken);
    void hide_boot(AgentInput& input);
    void take_for_current(const ClusterState& state, AttemptReport& report);
    bool is_left_behind(const ClusterState& state, const OutgoingOrder& order) const;
    bool is_forged(const OutgoingOrder& order);
    static void forge_checkpoint(const ClusterState& state, const OutgoingOrder& order,
                                 std::vector<Input>& forged);
    void forge_end(const ClusterState& state, const OutgoingOrder& order,
                   std::vector<Input>& forged);
    static void forge_rest(const ClusterState& state, const OutgoingOrder& order,
                           std::vector<Input>& forged);

    ControlProtections protections_;
    std::map<std::string, std::string> first_boots_;      // By node.
    std::map<Link, std::string> boots_;                   // The true ones.
    std::map<std::pair<JobId, Attempt>, Attempt> meant_;  // The attempt that was reported.
    std::set<AttemptOnNode> forged_;                      // Ends that were forged,
    std::set<AttemptOnNode> unacknowledged_;  // and those whose acknowledgement has not come.
};

}  // namespace berth::sim
