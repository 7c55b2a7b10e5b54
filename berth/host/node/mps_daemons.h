// MpsDaemons: NVIDIA's Multi-Process Service, through which several jobs compute on one GPU at the
// same time. Each pair of GPU and user has its own control daemon, which runs as that user, so that
// what a user's jobs send to it can harm nobody else.
//
// Daemons outlive the agent, as jobs do. Each has a folder that names its process, and a cgroup
// that limits its memory and contains whatever it starts.
#pragma once

#include <sys/types.h>

#include <compare>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/base/fields.h"
#include "berth/host/cgroup/cgroup_tree.h"
#include "berth/host/os/unique_fd.h"
#include "berth/host/run/job_environment.h"

namespace berth {

struct MpsKey {
    std::uint32_t gpu = 0;  // Index of the GPU, as in gres.conf.
    std::uint32_t uid = 0;
    friend auto operator<=>(const MpsKey&, const MpsKey&) = default;
    BERTH_FIELDS(MpsKey, gpu, uid)
};

class MpsDaemons {
public:
    using GroupOf = std::function<Cgroup(const MpsKey&)>;

    // - `folder`: for the daemons alone; created when needed.
    // - `program`: NVIDIA's control daemon, or a replacement.
    // - `group_of`: the cgroup of each daemon.
    MpsDaemons(std::string folder, std::string program, GroupOf group_of)
        : folder_(std::move(folder)),
          program_(std::move(program)),
          group_of_(std::move(group_of)) {}

    Status open();  // Takes over the daemons of an earlier process.
    const std::string& program() const { return program_; }

    // Returns when clients can reach the daemon; at once if it already runs. `visible`: the GPU as
    // in CUDA_VISIBLE_DEVICES. REQUIRES: the daemon's cgroup exists, if cgroups are used.
    Status start(const MpsKey& key, const UserRecord& user, const std::string& visible);
    void stop(const MpsKey& key);  // Its last client has ended.
    bool runs(const MpsKey& key) const;
    std::vector<MpsKey> running() const;

    // For its clients, which may use `percent` of the GPU's threads.
    std::vector<std::string> environment(const MpsKey& key, std::int64_t percent) const;

    int fd() const { return epoll_.get(); }  // Readable when take_ended() should be called.
    std::vector<MpsKey> take_ended();        // Daemons that ended without stop().

private:
    struct Daemon {
        UniqueFd process;
        pid_t pid = 0;
        bool child = false;  // A child of ours, to be reaped.
        bool stopping = false;
    };
    std::string folder_of(const MpsKey& key) const;
    void kill(const MpsKey& key, const Daemon& daemon) const;
    void clean_up(const MpsKey& key, const Daemon& daemon) const;
    Status prepare(const std::string& folder, const UserRecord& user) const;
    Result<pid_t> spawn(const MpsKey& key, const UserRecord& user,
                        const std::string& visible) const;
    Status wait_until_ready(const MpsKey& key) const;
    void watch(const MpsKey& key, Daemon daemon);
    void kill_overdue();
    bool has_ended(const Daemon& daemon) const;

    std::string folder_, program_;
    GroupOf group_of_;
    std::map<MpsKey, Daemon> daemons_;
    UniqueFd epoll_, timer_;
};

}  // namespace berth
