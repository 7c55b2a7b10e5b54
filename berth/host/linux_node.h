// LinuxNode: the agent's Node made real. It confines each attempt, starts its runs under shepherds
// that outlive the agent, and tells what became of them.
//
// One thread: whoever owns it polls fd() and then takes the events.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/agent/ports.h"
#include "berth/base/log.h"
#include "berth/host/account_check.h"
#include "berth/host/cgroup_tree.h"
#include "berth/host/device_guard.h"
#include "berth/host/gpu_inventory.h"

namespace berth {

struct LinuxNodeOptions {
    NodeSpec node;          // As configured: its devices and their files, its cores.
    Dimensions dimensions;  // That its devices are of.
    std::string run_dir;    // Scripts and exit records. Users must be able to reach it (o+x on all
                            // folders above), as with Slurm's SlurmdSpoolDir.
    std::string shepherd;   // The program berth-step.
    // Where the cgroups lie: "" for the paths that Slurm's tools know; "berth-7/gpu1" where several
    // nodes, or clusters, share a machine.
    std::string cgroup_prefix;
    bool use_cgroups = true;
    DeviceBackend device_backend = DeviceBackend::automatic;
    // The operating system's CPUs of each core, as discover_machine() tells. Empty: cores are not
    // pinned, since the node is emulated.
    std::vector<std::vector<int>> cpus_of_core;
    // The same of a node that is described otherwise; none: as above.
    std::function<std::vector<std::vector<int>>(const NodeSpec&)> find_cpus;
    bool emulated = false;                     // Device files that this machine lacks are no error.
    std::vector<std::string> allowed_devices;  // Files that every job may use, besides the usual.
    std::vector<std::string> environment;      // "BERTH_SOCKET=…": put into every job.
    AccountCheck account_check;                // Of users whose job's confinement says so.
    // NVIDIA's MPS control daemon; empty: it is where NVIDIA puts it, and is not asked of simulated
    // GPUs.
    std::string mps_program;
    std::string nvml = kNvml, mig_minors = kMigMinors;  // What knows the MIG instances.
    std::int64_t pids_max = 0;  // Of one job; 0: three quarters of the kernel's.
};

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
