// The environment of a job: from scratch, then the user's, then what Slurm's jobs find set. Which
// SLURM_* are there and which are not is a contract: tools look at their absence too.
#pragma once

#include <string>
#include <vector>

#include "berth/host/os/user.h"
#include "berth/host/run/environment.h"
#include "berth/model/order.h"

namespace berth {

// The variable in which a launch brings the job's token to the node. No process ever has it: what
// is in the environment ends up in logs and crash reports, and a file of mode 0400 does not.
inline constexpr std::string_view kJobTokenVariable = "BERTH_JOB_TOKEN";

// What is known here of this node.
struct NodeView {
    NodeSpec node;                               // As configured.
    Dimensions dimensions;                       // Of its GRES.
    std::string hostname;                        // Of the machine.
    std::vector<std::vector<int>> cpus_of_core;  // Empty: cores are not pinned.
    bool devices_isolated = false;  // A process sees its own GPUs only, so they count from 0.
    std::vector<std::string> environment;  // Of the site's, for every job.
};

// Of the batch script.
Environment batch_environment(const LaunchAttempt& launch, const NodeView& view,
                              const UserRecord& user);

// Which of these devices are GPUs, by index among the node's: "0,2,5".
std::vector<std::uint32_t> gpus_of(DeviceMask devices, const NodeView& view);

// CUDA_VISIBLE_DEVICES and its kin, for one who may use `devices` and can see `visible`.
void set_gpus(Environment& environment, DeviceMask devices, DeviceMask visible,
              const NodeView& view);

std::string numbers_text(const std::vector<std::uint32_t>& numbers);  // "0,2,5"

// Where this node is among those of the job.
std::uint32_t node_index(const LaunchAttempt& launch);

// What belongs to the job on any node: ids, names, lists. For scripts and steps alike.
void set_job_variables(Environment& environment, const LaunchAttempt& launch, const NodeView& view);

}  // namespace berth
