// CgroupTree: the cgroups of jobs and steps as one tree, in whatever hierarchies are mounted.
//
// - v1: `slurm/uid_U/job_J/step_S` in each of cpuset, memory, pids, devices and freezer.
// - v2: `system.slice/slurmstepd.scope/job_J/step_S`.
// - Hybrid: v1 sets limits; v2 tracks the processes, reports when a group is empty, and kills.
//
// Everything lies below a prefix, if one is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/host/cgroup/cgroup_mounts.h"
#include "berth/model/ids.h"

namespace berth {

// The group of one job or step: its folder in each hierarchy.
struct Cgroup {
    std::map<std::string, std::string> v1;  // Controller -> folder.
    std::string unified;                    // Empty: no v2.

    bool none() const { return v1.empty() && unified.empty(); }
    friend bool operator==(const Cgroup&, const Cgroup&) = default;
    Cgroup child(const std::string& name) const;
};

struct CgroupLimits {
    std::string cpus;  // "0-3,8"; empty: all CPUs of the parent.
    std::optional<std::int64_t> memory;
    std::optional<std::int64_t> memory_and_swap;
    std::optional<std::int64_t> pids;
};

class CgroupTree {
public:
    CgroupTree() = default;  // Uses no cgroups.
    // Uses only hierarchies that are writable.
    CgroupTree(const CgroupMounts& mounts, const std::string& prefix);

    bool usable() const { return !roots_.none(); }
    bool has(const std::string& controller) const;  // Whether it can set this controller's limits.
    bool on_v2() const { return !roots_.unified.empty(); }

    Cgroup job(std::uint32_t uid, JobId job) const;
    // A group beside the jobs, for processes that belong to none of them.
    Cgroup service(const std::string& name) const;
    static Cgroup step(const Cgroup& job, StepId step);
    static std::string step_name(StepId step);  // "step_batch", "step_extern", "step_0"

    // Creates the group and its parents. An existing group is no error.
    Status create(const Cgroup& group) const;
    Status limit(const Cgroup& group, const CgroupLimits& limits) const;

    // Whether the group or a descendant has a process. False if there is no such group.
    static bool populated(const Cgroup& group);
    static std::vector<int> processes(const Cgroup& group);
    static void signal(const Cgroup& group, int signal);
    // Freezes or thaws all processes of the group. Returns false if no freezer is mounted.
    static bool freeze(const Cgroup& group, bool frozen);
    // Whether all its processes are frozen by now, as freeze() was told. Where a v1 freezer is
    // still at it, it is asked again.
    static bool frozen(const Cgroup& group);
    // Sends SIGKILL to all processes of the group, also to those that fork meanwhile. Thaws the
    // group first: under v1 a frozen process does not die.
    static void kill(const Cgroup& group);
    static std::int64_t oom_kills(const Cgroup& group);

    // Removes the group and its descendants. `unavailable` while a process is in it.
    static Status remove(const Cgroup& group);
    // Removes the empty folders above a job's group (uid_U, and those of the prefix).
    void remove_empty_parents(const Cgroup& job) const;

private:
    Status make_unified(const std::string& folder) const;

    Cgroup roots_;  // The mount points in use.
    Cgroup jobs_;   // The parent of all job groups: …/slurm, …/slurmstepd.scope.
    // Controllers whose limits are set through v2: those that no v1 hierarchy has.
    std::vector<std::string> v2_controllers_;
};

}  // namespace berth
