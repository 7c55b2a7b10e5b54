// MpsDaemons: NVIDIA's Multi-Process Service, by which jobs compute on one GPU side by side: one
// control daemon for each GPU and user that has a part of it, as that user, so that what they say
// to it can harm no one else.
//
// Daemons outlive the agent, as jobs do: each has a folder that says which process it is, and a
// cgroup, so that neither its memory nor what it has started is left to itself.
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
    std::uint32_t gpu = 0;  // Its index, as in gres.conf.
    std::uint32_t uid = 0;
    friend auto operator<=>(const MpsKey&, const MpsKey&) = default;
    BERTH_FIELDS(MpsKey, gpu, uid)
};

class MpsDaemons {
public:
    using GroupOf = std::function<Cgroup(const MpsKey&)>;

    // `folder`: of its own, made when it is needed. `program`: NVIDIA's, or one in its place.
    // `group_of`: where each one's processes are.
    MpsDaemons(std::string folder, std::string program, GroupOf group_of)
        : folder_(std::move(folder)),
          program_(std::move(program)),
          group_of_(std::move(group_of)) {}

    Status open();  // Takes over what an earlier process has left.
    const std::string& program() const { return program_; }

    // Returns when clients can reach it; at once where it runs already. `visible` is the GPU as
    // CUDA_VISIBLE_DEVICES has it. REQUIRES: its group is there, if there are any.
    Status start(const MpsKey& key, const UserRecord& user, const std::string& visible);
    void stop(const MpsKey& key);  // No one needs it any more.
    bool runs(const MpsKey& key) const;
    std::vector<MpsKey> running() const;

    // For its clients, who may use so many hundredths of the GPU's threads.
    std::vector<std::string> environment(const MpsKey& key, std::int64_t percent) const;

    int fd() const { return epoll_.get(); }  // Readable when take_ended() is to be called.
    std::vector<MpsKey> take_ended();        // Those that nobody has stopped.

private:
    struct Daemon {
        UniqueFd process;
        pid_t pid = 0;
        bool child = false;  // Ours to reap.
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
