// For tests of steps on real processes: an srun, and a running job to start steps in.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>

#include "berth/host/node/linux_node_rig.h"
#include "berth/model/step_io.h"
#include "berth/mpi/exchange.h"

namespace berth {

// Acts as an srun does: listens, greets, collects what arrives.
class ListeningSrun {
public:
    ListeningSrun() {
        listener_.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
        listen(listener_.get(), 5);
        getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&at), &size);
        address = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
    }
    // Reads what has arrived; false once the step has closed the connection.
    bool serve() {
        if (!peer_) {
            peer_.reset(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            return true;
        }
        char part[65536];
        const ssize_t got = paused ? -1 : read(peer_.get(), part, sizeof part);
        if (got == 0) return false;
        if (got > 0) reader_.add({part, static_cast<std::size_t>(got)});
        for (;;) {
            auto frame = reader_.next();
            EXPECT_TRUE(frame.ok());
            if (!frame.ok() || !*frame) return true;
            keep(**frame);
        }
    }
    void send(std::uint32_t task, const std::string& bytes) {
        const std::string frames = encode_frames(StepFrameKind::standard_in, task, bytes);
        EXPECT_EQ(write(peer_.get(), frames.data(), frames.size()),
                  static_cast<ssize_t>(frames.size()));
    }
    // Keeps the receive buffer small, so that most output still waits when the step ends.
    void take_little() {
        const int little = 4096;
        setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    }
    // Sends input for a task that does not exist, and reads nothing.
    void pester(std::chrono::milliseconds length) {
        const std::string frame = encode_frame(StepFrameKind::standard_in, 99, "x");
        const auto until = std::chrono::steady_clock::now() + length;
        while (std::chrono::steady_clock::now() < until) {
            (void)!::send(peer_.get(), frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            usleep(100);
        }
    }
    void hang_up() {
        peer_.reset();
        hello.reset();
        reader_ = {};
    }
    void die() {
        peer_.reset();
        listener_.reset();
    }

    std::string address;
    std::optional<StepHello> hello;
    std::map<std::uint32_t, std::string> out, err;
    std::map<std::uint32_t, ExitStatus> exits;
    std::vector<std::string> order;  // "out 0", "exit 0" …
    std::map<std::uint32_t, std::string> aborts;
    std::vector<bool> holds;  // The input holds that it received.
    bool paused = false;

private:
    void keep(const StepFrame& frame) {
        const std::string task = std::to_string(frame.task);
        if (!hello) {
            const auto read = read_hello(frame, "t0ken");
            ASSERT_TRUE(read.ok()) << read.error().message;
            hello = *read;
        } else if (frame.kind == StepFrameKind::standard_out) {
            out[frame.task] += frame.bytes;
            if (!frame.bytes.empty()) order.push_back("out " + task);
        } else if (frame.kind == StepFrameKind::standard_error) {
            err[frame.task] += frame.bytes;
        } else if (frame.kind == StepFrameKind::abort) {
            aborts[frame.task] = frame.bytes;
        } else if (frame.kind == StepFrameKind::input_hold) {
            holds.push_back(frame.bytes != std::string(1, '\0'));
        } else if (frame.kind == StepFrameKind::exchange) {
            give_back(frame);
        } else if (const auto exit = read_exit(frame); exit.ok()) {
            exits[frame.task] = *exit;
            order.push_back("exit " + task);
        }
    }

    // For a step on one node.
    void give_back(const StepFrame& frame) {
        const auto outcome = exchange_.take(0, frame);
        ASSERT_TRUE(outcome.ok()) << outcome.error().message;
        if (!*outcome) return;
        const std::string& frames = (*outcome)->frames;
        EXPECT_EQ(write(peer_.get(), frames.data(), frames.size()),
                  static_cast<ssize_t>(frames.size()));
    }

    UniqueFd listener_, peer_;
    StepFrameReader reader_;
    Exchange exchange_{1};
};

class StepTest : public ::testing::Test {
protected:
    void SetUp() override {
        rig.open();
        job = rig.job(1, "sleep 1000");
        rig.start(job);
        rig.wait<RunStarted>(rig.batch(1));
    }
    LaunchStep step(std::uint32_t id, std::uint32_t tasks, const std::string& shell) const {
        LaunchStep launch = rig.step(job, id, tasks, shell);
        launch.io_address = srun.address;
        launch.io_token = "t0ken";
        return launch;
    }
    void start(const LaunchStep& launch) { rig.node->act(StartStep{launch, job}); }
    template <class Until>
    bool serve_until(Until until, int milliseconds = 20'000) {
        for (; milliseconds > 0; milliseconds -= 5) {
            srun.serve();
            rig.pump(5);
            if (until()) return true;
        }
        return false;
    }
    ExitStatus run(const LaunchStep& launch) {
        start(launch);
        const RunKey key{launch.job, launch.attempt, launch.step};
        EXPECT_TRUE(serve_until([&] {
            return rig.saw<RunExited>(key) && srun.exits.size() == launch.share.tasks.size();
        })) << (rig.saw<RunFailedToStart>(key) ? rig.find<RunFailedToStart>(key)->why : "");
        return rig.saw<RunExited>(key) ? rig.find<RunExited>(key)->exit : ExitStatus{-1, -1};
    }

    LinuxNodeRig rig;
    LaunchAttempt job;
    ListeningSrun srun;
};

}  // namespace berth
