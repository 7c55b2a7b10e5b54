// Tests of process.h: which processes get a signal.
#include "berth/host/os/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace berth {
namespace {

// Two sleeping processes: the first is listed from the start; the second is listed only once the
// first got its signal, as if the first one's handler had started it.
class TwoProcesses {
public:
    TwoProcesses() {
        for (pid_t& pid : pids_) {
            pid = fork();
            if (pid == 0) {
                for (;;) pause();
            }
        }
    }
    ~TwoProcesses() {
        for (const pid_t pid : pids_) {
            if (::kill(pid, SIGKILL) == 0) ::waitpid(pid, nullptr, 0);
        }
    }
    TwoProcesses(const TwoProcesses&) = delete;
    TwoProcesses& operator=(const TwoProcesses&) = delete;

    std::vector<int> list() {
        listed_ += 1;
        if (listed_ == 1) return {pids_[0]};
        return {pids_[0], pids_[1]};
    }
    // Whether the signal ended the second process.
    bool second_was_hit(int signal) {
        int status = 0;
        if (::waitpid(pids_[0], &status, 0) != pids_[0] || WTERMSIG(status) != signal) return false;
        ::kill(pids_[1], SIGTERM);  // The earlier of the two signals ends it.
        return ::waitpid(pids_[1], &status, 0) == pids_[1] && WTERMSIG(status) == signal;
    }

private:
    std::array<pid_t, 2> pids_{};
    int listed_ = 0;
};

TEST(SignalEach, LeavesOutWhatAHandlerStarts) {
    TwoProcesses two;
    signal_each([&] { return two.list(); }, SIGUSR2);
    EXPECT_FALSE(two.second_was_hit(SIGUSR2));
}

TEST(SignalEach, KillsWhatWasStartedInTheMeantime) {
    TwoProcesses two;
    signal_each([&] { return two.list(); }, SIGKILL);
    EXPECT_TRUE(two.second_was_hit(SIGKILL));
}

}  // namespace
}  // namespace berth
