// LinuxNodeOptions: which node this is, what it is to confine its jobs with, and where its files
// lie.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "berth/host/cgroup/device_guard.h"
#include "berth/host/hardware/gpu_inventory.h"
#include "berth/host/os/account_check.h"
#include "berth/model/node.h"

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

}  // namespace berth
