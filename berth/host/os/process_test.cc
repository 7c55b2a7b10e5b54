// Tests of process.h: who gets a signal.
#include "berth/host/os/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace berth {
namespace {

// Two that sleep: one that is there at first, and one that is only listed when that one got its
// signal, as what its handler starts would be.
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
    // Whether the signal was the second one's end.
    bool second_was_hit(int signal) {
        int status = 0;
        if (::waitpid(pids_[0], &status, 0) != pids_[0] || WTERMSIG(status) != signal) return false;
        ::kill(pids_[1], SIGTERM);  // It ends by the earlier one of the two.
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
