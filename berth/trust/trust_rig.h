// For tests: two ends of a connection, each with a thread, and a folder that goes.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "berth/trust/wall_time.h"

namespace berth {

class ConnectedEnds {
public:
    ConnectedEnds() {
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_.data()), 0);
    }
    ~ConnectedEnds() {
        if (thread_.joinable()) thread_.join();
        for (const int fd : fds_) close(fd);
    }
    int ours() const { return fds_[0]; }
    int theirs() const { return fds_[1]; }
    void at_their_end(std::function<void(int)> act) {
        thread_ = std::thread([this, act = std::move(act)] {
            act(fds_[1]);
            shutdown(fds_[1], SHUT_RDWR);
        });
    }

private:
    std::array<int, 2> fds_{};
    std::thread thread_;
};

class TrustFolder {
public:
    TrustFolder() {
        char name[] = "/tmp/berth-trust-XXXXXX";
        path_ = mkdtemp(name);
    }
    ~TrustFolder() { std::filesystem::remove_all(path_); }
    std::string path(const std::string& name = "") const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace berth
