// For tests: a cgroup tree that belongs to the test and is removed with it, and children that run
// inside.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/host/os/file_io.h"

namespace berth {

// Which hierarchies the test uses.
enum class Hierarchies { all, v1_only, v2_only };

class CgroupRig {
public:
    explicit CgroupRig(Hierarchies wanted = Hierarchies::all) : mounts_(find_cgroup_mounts()) {
        if (wanted == Hierarchies::v1_only) mounts_.unified.clear();
        if (wanted == Hierarchies::v2_only) mounts_.v1.clear();
        tree = CgroupTree(mounts_, prefix());
        job = tree.job(getuid(), JobId{7});
    }
    ~CgroupRig() {
        if (tree.usable()) clean(tree.job(getuid(), JobId{7}));
    }
    // Why these tests cannot run here; empty: they can.
    std::string missing() const {
        if (geteuid() != 0) return "needs root";
        return tree.usable() ? "" : "no such cgroup hierarchy is mounted and writable";
    }

    static std::string prefix() { return "berth-test." + std::to_string(getpid()); }

    void clean(const Cgroup& group) const {
        for (int i = 0; i < 500; ++i) {
            if (CgroupTree::populated(group)) CgroupTree::kill(group);
            if (CgroupTree::remove(group).ok()) break;
            usleep(10'000);
        }
        tree.remove_empty_parents(group);
    }

    static void join(const Cgroup& group) {
        for (const auto& [controller, folder] : group.v1) {
            if (!write_kernel_file(folder + "/cgroup.procs", "0").ok()) _exit(200);
        }
        if (!group.unified.empty() &&
            !write_kernel_file(group.unified + "/cgroup.procs", "0").ok()) {
            _exit(201);
        }
    }
    // Starts a child in the group; its exit code is what `body` returns.
    static pid_t start(const Cgroup& group, const std::function<int()>& body) {
        const pid_t pid = fork();
        if (pid == 0) {
            join(group);
            _exit(body());
        }
        return pid;
    }
    static int run(const Cgroup& group, const std::function<int()>& body) {
        int status = 0;
        waitpid(start(group, body), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    }

    CgroupTree tree;
    Cgroup job;

private:
    CgroupMounts mounts_;
};

#define BERTH_SKIP_UNLESS_USABLE(rig) \
    if (const std::string why = (rig).missing(); !why.empty()) GTEST_SKIP() << "SKIPPED: " << why

}  // namespace berth
