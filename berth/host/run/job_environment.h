// The environment of a job: built from nothing, then the user's variables, then those that Slurm
// sets. Which SLURM_* variables exist is a contract: tools rely on the absence of some.
#pragma once

#include <string>
#include <vector>

#include "berth/host/os/user.h"
#include "berth/host/run/environment.h"
#include "berth/model/order.h"

namespace berth {

// The variable in which a launch brings the job's token to the node. It is never passed to a
// process: environments end up in logs and crash reports; a file of mode 0400 does not.
inline constexpr std::string_view kJobTokenVariable = "BERTH_JOB_TOKEN";

// This node as the run plans see it.
struct NodeView {
    NodeSpec node;                               // As configured.
    Dimensions dimensions;                       // Of its GRES.
    std::string hostname;                        // Of the machine.
    std::vector<std::vector<int>> cpus_of_core;  // Empty: cores are not pinned.
    // A process sees only its own GPUs, so they are numbered from 0.
    bool devices_isolated = false;
    std::vector<std::string> environment;  // Set by the site for every job.
};

// Of the batch script.
Environment batch_environment(const LaunchAttempt& launch, const NodeView& view,
                              const UserRecord& user);

// The indexes of those devices that are GPUs, among the node's GPUs: "0,2,5".
std::vector<std::uint32_t> gpus_of(DeviceMask devices, const NodeView& view);

// Sets CUDA_VISIBLE_DEVICES and similar variables for a process that may use `devices` and can see
// `visible`.
void set_gpus(Environment& environment, DeviceMask devices, DeviceMask visible,
              const NodeView& view);

std::string numbers_text(const std::vector<std::uint32_t>& numbers);  // "0,2,5"

// The index of this node among the job's nodes.
std::uint32_t node_index(const LaunchAttempt& launch);

// The variables that are the same on every node: ids, names, lists. For scripts and steps.
void set_job_variables(Environment& environment, const LaunchAttempt& launch, const NodeView& view);

}  // namespace berth
