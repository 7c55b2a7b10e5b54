#include "berth/slurm/step/last_answer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace berth::slurm {
namespace {

// How a child ends that is sent SIGTERM, then waits for an answer so long, then exits with 7.
int status_after(useconds_t wait) {
    const pid_t child = fork();
    if (child == 0) {
        sigset_t none;  // A test before this one may have held signals back.
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        {
            const LastAnswer answer;
            (void)std::raise(SIGTERM);
            for (useconds_t slept = 0; slept < wait; slept += 50'000) usleep(50'000);
        }
        _exit(7);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
}

TEST(LastAnswer, IsReadThoughSigtermCameFirst) {
    const int status = status_after(100'000);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(LastAnswer, IsNotWaitedForLongerThanASecond) {
    const int status = status_after(20'000'000);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

}  // namespace
}  // namespace berth::slurm
