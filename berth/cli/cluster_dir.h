// ClusterDir: the state directory of a cluster on one machine, and the daemons that `berth up`
// started there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"

namespace berth::cli {

// A daemon, known by its pid and the moment it started: a pid that was given to a stranger is not
// it.
struct Daemon {
    std::string name;  // "berthd", "agent-gpu1"
    int pid = 0;
    std::uint64_t started_ticks = 0;  // Field 22 of /proc/PID/stat.
};

class ClusterDir {
public:
    explicit ClusterDir(std::filesystem::path path) : path_(std::move(path)) {}

    // --state, else $BERTH_STATE, else /var/lib/berth for root and ~/.local/state/berth for others.
    static ClusterDir find(const std::string& given);

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path config() const { return path_ / "etc"; }
    std::filesystem::path state() const { return path_ / "state"; }
    std::filesystem::path logs() const { return path_ / "log"; }
    std::filesystem::path socket() const { return path_ / "berthd.sock"; }
    std::filesystem::path agent_socket() const { return path_ / "agents.sock"; }
    std::filesystem::path environment_file() const { return path_ / "berth.env"; }

    // The directory and what is in it, but for the configuration.
    Status create() const;

    // Where the database of the controller with this directory is: of `berth up`, in state/ below
    // it; of the packages, in itself. Where there is nothing yet, as `berth up` would have it.
    static std::filesystem::path database_directory(const std::filesystem::path& directory);

    // Those whose pid file names a process that still is the one that was started.
    std::vector<Daemon> running() const;
    std::optional<Daemon> find_running(const std::string& name) const;

    // Starts a program in a session of its own, with its output in log/NAME.out, and remembers it.
    Status start(const std::string& name, const std::vector<std::string>& command) const;
    // TERM, and KILL if it has not ended in time. Nothing is signalled that is not ours.
    Status stop(const Daemon& daemon) const;

private:
    std::filesystem::path pid_file(const std::string& name) const {
        return path_ / (name + ".pid");
    }
    std::filesystem::path path_;
};

// The directory that this very program lies in, where its companions are.
std::filesystem::path program_directory();

}  // namespace berth::cli
