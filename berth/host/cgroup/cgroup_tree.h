// CgroupTree: the cgroups of jobs and steps in whatever hierarchies are mounted, as one tree.
//
// Under v1 `slurm/uid_U/job_J/step_S` in each of cpuset, memory, pids, devices and freezer; under
// v2 `system.slice/slurmstepd.scope/job_J/step_S`. In the hybrid of both, v1 limits and v2 knows
// who belongs, tells when a group is empty, and kills. All below a prefix, if one is given.
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

// One job's or step's group: its folder in each hierarchy.
struct Cgroup {
    std::map<std::string, std::string> v1;  // Controller -> folder.
    std::string unified;                    // Empty: none.

    bool none() const { return v1.empty() && unified.empty(); }
    friend bool operator==(const Cgroup&, const Cgroup&) = default;
    Cgroup child(const std::string& name) const;
};

struct CgroupLimits {
    std::string cpus;  // "0-3,8"; empty: all of the parent's.
    std::optional<std::int64_t> memory;
    std::optional<std::int64_t> memory_and_swap;
    std::optional<std::int64_t> pids;
};

class CgroupTree {
public:
    CgroupTree() = default;  // No cgroups.
    // Only the hierarchies that can be written are used.
    CgroupTree(const CgroupMounts& mounts, const std::string& prefix);

    bool usable() const { return !roots_.none(); }
    bool has(const std::string& controller) const;  // To limit with.
    bool on_v2() const { return !roots_.unified.empty(); }

    Cgroup job(std::uint32_t uid, JobId job) const;
    Cgroup service(const std::string& name) const;  // Beside the jobs, for what is none of theirs.
    static Cgroup step(const Cgroup& job, StepId step);
    static std::string step_name(StepId step);  // "step_batch", "step_extern", "step_0"

    // Makes it with all above it. Already there is fine.
    Status create(const Cgroup& group) const;
    Status limit(const Cgroup& group, const CgroupLimits& limits) const;

    // Whether a process is in it or beneath it. False where there is no such group.
    static bool populated(const Cgroup& group);
    static std::vector<int> processes(const Cgroup& group);
    static void signal(const Cgroup& group, int signal);
    // Stops all of it where it is, or lets it go on. False where no freezer is mounted.
    static bool freeze(const Cgroup& group, bool frozen);
    // KILL for all, so that none gets away by forking; thawed, since under v1 a frozen one does not
    // die.
    static void kill(const Cgroup& group);
    static std::int64_t oom_kills(const Cgroup& group);

    // Removes it and all beneath. `unavailable` while something is in it still.
    static Status remove(const Cgroup& group);
    // Removes the empty folders above a job's group (uid_U, and those of the prefix).
    void remove_empty_parents(const Cgroup& job) const;

private:
    Status make_unified(const std::string& folder) const;

    Cgroup roots_;  // The mount points in use.
    Cgroup jobs_;   // Where jobs lie beneath: …/slurm, …/slurmstepd.scope.
    std::vector<std::string> v2_controllers_;  // That v2 limits with: those that no v1 mount has.
};

}  // namespace berth
