#include "berth/slurm/step/held_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace berth::slurm {

HeldSignals::HeldSignals() {
    sigemptyset(&signals_);
    for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals_, one);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
    fd_ = signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
}

HeldSignals::~HeldSignals() {
    if (fd_ >= 0) ::close(fd_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int HeldSignals::wait(std::chrono::milliseconds most) const {
    pollfd one{fd_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(most.count())) <= 0) return 0;
    signalfd_siginfo came{};
    return ::read(fd_, &came, sizeof came) == sizeof came ? static_cast<int>(came.ssi_signo) : 0;
}

bool is_silent(const api::Problem& problem) {
    return problem.code == "timed_out" || problem.code == "unavailable" ||
           problem.code == "connection_lost";
}

}  // namespace berth::slurm
