// Confinement: the cgroups, limits and device rules of jobs and steps on this node.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/host/cgroup/device_guard.h"
#include "berth/host/node/linux_node_options.h"
#include "berth/model/order.h"

namespace berth {

class Confinement {
public:
    explicit Confinement(const LinuxNodeOptions& options);

    bool usable() const { return tree_.usable(); }  // If false, processes are tracked by descent.
    Cgroup job_group(std::uint32_t uid, JobId job) const { return tree_.job(uid, job); }

    // Creates the attempt's group and sets its limits. Idempotent.
    Status confine_job(const LaunchAttempt& launch) const;
    // The same for a run within the attempt. `share` is nullptr for the batch script, which may use
    // all of it.
    Status confine_run(const Cgroup& group, const LaunchAttempt& launch,
                       const StepShare* share) const;

    // For a service whose processes belong to no job and may outlive jobs. They get this much
    // memory, and only these devices if jobs are isolated from others' devices, too.
    Cgroup service_group(const std::string& name) const { return tree_.service(name); }
    Status confine_service(const Cgroup& group, const ConfinementSpec& wanted, Bytes memory,
                           DeviceMask devices) const;

    // True if a process sees only the GPUs granted to it.
    bool isolates_devices(const ConfinementSpec& wanted) const;
    bool pins_cores(const ConfinementSpec& wanted) const;

    Status remove(const Cgroup& job) const;
    std::vector<std::string> not_isolated() const;

    void look_at_devices();  // Call after the node's devices have changed.

private:
    struct Share {
        const BitSet* cores;
        Bytes memory;
        DeviceMask devices;
    };
    Status confine(const Cgroup& group, const ConfinementSpec& wanted, const Share& share,
                   bool whole_job) const;
    Status guard(const Cgroup& group, DeviceMask devices) const;
    Result<std::vector<DeviceRule>> rules_for(DeviceMask devices) const;
    CgroupLimits limits_for(const ConfinementSpec& wanted, const Share& share,
                            bool whole_job) const;

    const LinuxNodeOptions& options_;
    CgroupTree tree_;
    std::unique_ptr<DeviceGuard> guard_;
    bool gpu_files_ = false;  // Every GPU of the node has a device file here.
    std::int64_t pids_max_ = 0;
};

}  // namespace berth
