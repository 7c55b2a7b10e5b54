// LinuxNodeOptions: which node this is, how to confine its jobs, and where its files lie.
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

// Where the files of NVIDIA's driver and of MPS lie.
struct NvidiaFiles {
    // The MPS control daemon. Empty: its usual path; simulated GPUs then have no MPS.
    std::string mps_control;
    std::string nvml = kNvml, mig_minors = kMigMinors;  // Where the MIG instances are found.
};

struct LinuxNodeOptions {
    NodeSpec node;          // As configured, with its cores, devices and device files.
    Dimensions dimensions;  // Those of its devices.
    // For scripts and exit records. Users must be able to reach it (o+x on every folder above), as
    // with Slurm's SlurmdSpoolDir.
    std::string run_dir;
    std::string shepherd;  // The program berth-step.
    // Where the cgroups lie: "" for the paths that Slurm's tools know, "berth-7/gpu1" if several
    // nodes or clusters share a machine.
    std::string cgroup_prefix;
    bool use_cgroups = true;
    DeviceBackend device_backend = DeviceBackend::automatic;
    // The operating system's CPUs of each core, as from discover_machine(). Empty: the node is
    // emulated, and cores are not pinned.
    std::vector<std::vector<int>> cpus_of_core;
    // The same for a changed description of the node. Null: cpus_of_core stays.
    std::function<std::vector<std::vector<int>>(const NodeSpec&)> find_cpus;
    bool emulated = false;  // Missing device files are no error.
    // Files that every job may use, besides usual_devices().
    std::vector<std::string> allowed_devices;
    std::vector<std::string> environment;  // "BERTH_SOCKET=…": added to every job.
    AccountCheck account_check;            // For users whose job's confinement asks for it.
    NvidiaFiles nvidia;
    std::int64_t pids_max = 0;  // Of one job; 0: three quarters of the kernel's limit.
};

}  // namespace berth
