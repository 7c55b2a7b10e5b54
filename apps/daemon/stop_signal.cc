#include "apps/daemon/stop_signal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "apps/daemon/process_limits.h"
#include "berth/base/assert.h"

namespace berth {

StopSignal::StopSignal() {
    std::signal(SIGPIPE, SIG_IGN);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    BERTH_ASSERT(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    signals_ = signalfd(-1, &set, SFD_CLOEXEC);
    end_ = eventfd(0, EFD_CLOEXEC);
    if (signals_ < 0 || end_ < 0) end_for_want_of("cannot make a descriptor for signals", errno);
}

bool StopSignal::wait(std::chrono::milliseconds most) const {
    const auto until = std::chrono::steady_clock::now() + most;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        pollfd waited{signals_, POLLIN, 0};
        if (left.count() <= 0 || poll(&waited, 1, static_cast<int>(left.count())) == 0)
            return false;
        signalfd_siginfo came{};
        if ((waited.revents & POLLIN) == 0 || read(signals_, &came, sizeof came) != sizeof came)
            continue;
        if (came.ssi_signo != SIGHUP) return true;
    }
}

void StopSignal::rest() {
    if (thread_.joinable()) {
        std::uint64_t one = 1;
        BERTH_ASSERT(write(end_, &one, sizeof one) == sizeof one);
        thread_.join();
        BERTH_ASSERT(read(end_, &one, sizeof one) == sizeof one);  // then() may be called again.
    }
}

StopSignal::~StopSignal() {
    rest();
    close(signals_);
    close(end_);
}

void StopSignal::then(std::function<void()> stop, std::function<void()> again) {
    thread_ = std::thread([this, stop = std::move(stop), again = std::move(again)] {
        pollfd waited[2] = {{signals_, POLLIN, 0}, {end_, POLLIN, 0}};
        for (;;) {
            if (poll(waited, 2, -1) < 0 && errno == EINTR) continue;
            signalfd_siginfo came{};
            if ((waited[0].revents & POLLIN) == 0) return;
            if (read(signals_, &came, sizeof came) != sizeof came) continue;
            if (came.ssi_signo != SIGHUP) return stop();
            again();
        }
    });
}

}  // namespace berth
